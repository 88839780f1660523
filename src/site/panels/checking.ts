/** The deck is checked as it is edited, by the worker: soon after the last change, one check at a time, the last one counts. */
import { effect, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { overrideList } from "../overrides.ts";
import type { DeckCheck, DeckTable } from "../stage.ts";
import type { Store } from "../store.ts";

/** After the last change [ms]. */
const WAIT = 250;

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
  const { checking } = store.page;
  useEffect(() => {
    if (checking.users++ === 0) checking.stop = startChecking(store, checking.pending);
    return () => {
      if (--checking.users === 0) checking.stop();
    };
  }, [store, checking]);
  return checking.pending;
}

/** What a deck may hold; asked for once, nothing where the worker can't say. */
export function vocabularyOf({ page, stage }: Store): Promise<readonly DeckTable[]> {
  page.vocabulary ??= stage.vocabulary().catch(() => []);
  return page.vocabulary;
}
