/** How the edited deck differs from what runs, and runs with it: begun again, gone on from here, or beside the first. */
import { attempt, closeComparison, say } from "./actions.ts";
import { replaceDraft } from "./draft.ts";
import { DEFAULT, entriesOf, overrideList, ownValue, tablesIn } from "./overrides.ts";
import type { Source } from "./stage.ts";
import { editedDeck, openIn, type Store } from "./store.ts";

/** Between what is edited and what a pane was given. */
export interface VariantDifference {
  text: boolean;
  /** Overrides that were added, changed or taken away, by path; `from` undefined: the deck's own value. */
  overrides: readonly { path: string; from?: string; to?: string }[];
}

/** Why a run can't be forked with such a difference. */
export const OTHER_TEXT = "The deck's text has changed: only sliders can be taken over by a run under way.";

const byPath = (overrides: readonly string[]) =>
  new Map(overrides.map((override) => [override.split("=", 1)[0], override.slice(override.indexOf("=") + 1)]));

/** Undefined where nothing differs, or where the pane shows no deck. */
export function differenceFrom(
  source: Source | undefined,
  text: string,
  overrides: readonly string[],
): VariantDifference | undefined {
  if (source?.kind !== "deck") return undefined;
  const [before, now] = [byPath(source.overrides), byPath(overrides)];
  const changed = [...new Set([...before.keys(), ...now.keys()])]
    .filter((path) => before.get(path) !== now.get(path))
    .map((path) => {
      const [from, to] = [before.get(path), now.get(path)];
      return { path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    });
  const differs = source.text !== text;
  return differs || changed.length > 0 ? { text: differs, overrides: changed } : undefined;
}

export function variantDifference(
  { sources, deck, overrides }: Store,
  pane: "a" | "b" = "a",
): VariantDifference | undefined {
  return differenceFrom(sources[pane].value, deck.value, overrideList(overrides.value));
}

/** Whether what is edited is what pane "b" shows. */
export const isBeside = (store: Store): boolean =>
  store.sources.b.value?.kind === "deck" && variantDifference(store, "b") === undefined;

/** The deck and the overrides become what pane "a" was given. */
export function revert(store: Store): void {
  const source = store.sources.a.peek();
  if (source?.kind !== "deck") return;
  replaceDraft(store, source.text, entriesOf(source.overrides), store.page.bundled.peek());
}

/** The changes as overrides; one that was taken away becomes the deck's own value again. */
function changedOverrides(store: Store): string[] {
  const deck = tablesIn(store.deck.value);
  const written = (path: string) => store.check.value?.sliders.find((slider) => slider.path === path)?.value;
  const own = (path: string) => written(path) ?? [ownValue(deck, path)].find((value) => value !== DEFAULT);
  return (variantDifference(store)?.overrides ?? []).flatMap(({ path, to = own(path) }) =>
    to === undefined ? [] : [`${path}=${to}`],
  );
}

/** The run under way goes on with what has changed. */
export function goOnHere(store: Store): void {
  const changed = changedOverrides(store);
  void attempt(store, async () => {
    await store.stage.fork("a", "a", changed);
    store.sources.a.value = editedDeck(store);
  });
}

/** A second picture, from the beginning, of what is edited; the first one begins anew, even where it was forked. */
export function compareEdited(store: Store): void {
  store.page.wanted.value = store.panes.a.state.value.status === "running";
  store.comparing.value = true;
  void attempt(store, async () => {
    await store.page.attached.b.promise;
    const source = store.sources.a.value;
    if (source) await openIn(store, "a", source);
    await openIn(store, "b", editedDeck(store));
  });
}

/** A second picture, from here on, of what is edited. */
export function forkHere(store: Store): void {
  const changed = changedOverrides(store);
  store.comparing.value = true;
  store.sources.b.value = editedDeck(store);
  void attempt(store, async () => {
    await store.page.attached.b.promise;
    await store.stage.fork("a", "b", changed);
  });
}

function isRun(store: Store): boolean {
  if (store.sources.a.value?.kind === "deck") return true;
  say(store, "Only the run of a deck can have a variant beside it");
  return false;
}

/** What the first picture shows goes on in the second as well, with what was changed in the deck since. */
export function fork(store: Store): void {
  if (!isRun(store)) return;
  const changed = variantDifference(store);
  if (changed?.text) {
    say(store, OTHER_TEXT);
    return;
  }
  const words = (changed?.overrides ?? []).map(({ path, to }) => (to === undefined ? path : `${path}=${to}`));
  say(store, words.length > 0 ? `Forked with ${words.join(", ")}` : "Forked: change a parameter, then fork again");
  forkHere(store);
}

/** The edited deck beside the one that runs, both from the beginning; or back to one picture. */
export function toggleComparison(store: Store): void {
  if (store.comparing.value) void attempt(store, () => closeComparison(store));
  else if (isRun(store)) compareEdited(store);
}
