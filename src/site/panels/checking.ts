/** The deck is checked as it is edited, by the worker: soon after the last change, one check at a time, the last one counts. */
import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { replaceDraft } from "../draft.ts";
import { entriesOf, overrideList } from "../overrides.ts";
import type { DeckCheck, DeckTable, Source } from "../stage.ts";
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

/** How what is edited differs from what a pane was given. */
export interface Difference {
  /** The text itself. */
  text: boolean;
  /** Overrides that were added, changed or taken away, by path; `from` undefined: the deck's own value. */
  overrides: readonly { path: string; from?: string; to?: string }[];
}

/** Why a run can't be forked with it. */
export const OTHER_TEXT = "The deck's text has changed: only sliders can be taken over by a run under way.";

const parsed = (overrides: readonly string[]) =>
  new Map(overrides.map((override) => [override.split("=", 1)[0], override.slice(override.indexOf("=") + 1)]));

/** Undefined where nothing differs, or where the pane shows no deck. */
export function differenceFrom(
  source: Source | undefined,
  text: string,
  overrides: readonly string[],
): Difference | undefined {
  if (source?.kind !== "deck") return undefined;
  const [before, now] = [parsed(source.overrides), parsed(overrides)];
  const changed = [...new Set([...before.keys(), ...now.keys()])]
    .filter((path) => before.get(path) !== now.get(path))
    .map((path) => {
      const [from, to] = [before.get(path), now.get(path)];
      return { path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    });
  const differs = source.text !== text;
  return differs || changed.length > 0 ? { text: differs, overrides: changed } : undefined;
}

/** Of what is edited, from what pane "a" was given. */
export function difference(store: Store): Difference | undefined {
  return differenceFrom(store.sources.a.value, store.deck.value, overrideList(store.overrides.value));
}

/** Whether what is edited is what pane "b" shows. */
export function isBeside(store: Store): boolean {
  const source = store.sources.b.value;
  const edited = overrideList(store.overrides.value);
  return source?.kind === "deck" && differenceFrom(source, store.deck.value, edited) === undefined;
}

/** The deck and the overrides become what pane "a" was given. */
export function revert(store: Store): void {
  const source = store.sources.a.peek();
  if (source?.kind !== "deck") return;
  replaceDraft(store, source.text, entriesOf(source.overrides), store.page.bundled.peek());
}
