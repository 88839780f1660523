/** The deck is checked as it is edited, by the worker: soon after the last change, one check at a time, the last one counts. */
import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { overrideList } from "../overrides.ts";
import type { DeckCheck, DeckTable } from "../stage.ts";
import type { Store } from "../store.ts";

/** After the last change [ms]. */
const WAIT = 250;

interface Checking {
  /** A check is due or under way: what is known is of an earlier text. */
  pending: Signal<boolean>;
  users: number;
  stop?: () => void;
}

const ofStore = new WeakMap<Store, Checking>();

function checkingOf(store: Store): Checking {
  const known = ofStore.get(store) ?? { pending: signal(false), users: 0 };
  ofStore.set(store, known);
  return known;
}

function failed(error: unknown): DeckCheck {
  return { problems: [{ kind: "internal", message: `The deck could not be checked: ${String(error)}` }], sliders: [] };
}

/** Checks `store.deck` with its overrides whenever they change; returns what ends it. */
function startChecking(store: Store, pending: Signal<boolean>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let again = false;
  const check = async () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      const [text, overrides] = [store.deck.peek(), overrideList(store.overrides.peek())];
      const found = text.trim() === "" ? undefined : await store.stage.check(text, overrides).catch(failed);
      if (!again) store.check.value = found;
    } while (again);
    running = false;
    pending.value = false;
  };
  const end = effect(() => {
    void store.deck.value;
    void store.overrides.value;
    pending.value = true;
    clearTimeout(timer);
    timer = setTimeout(() => void check(), store.check.peek() === undefined ? 0 : WAIT);
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}

/** Keeps `store.check` up to date while a component that shows it is there; whether it is being checked. */
export function useChecking(store: Store): ReadonlySignal<boolean> {
  const checking = checkingOf(store);
  useEffect(() => {
    checking.users += 1;
    checking.stop ??= startChecking(store, checking.pending);
    return () => {
      checking.users -= 1;
      if (checking.users > 0) return;
      checking.stop?.();
      delete checking.stop;
    };
  }, [store, checking]);
  return checking.pending;
}

const vocabularies = new WeakMap<Store, Promise<readonly DeckTable[]>>();

/** What a deck may hold; asked for once, nothing where the worker can't tell. */
export function vocabularyOf(store: Store): Promise<readonly DeckTable[]> {
  const known = vocabularies.get(store) ?? store.stage.vocabulary().catch(() => []);
  vocabularies.set(store, known);
  return known;
}
