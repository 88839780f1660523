/**
 * The deck that is edited: its text, what is set over it, and the deck of the gallery that it began as. An edit keeps what
 * still fits the text; a deck in its place begins with nothing set.
 */
import { batch } from "@preact/signals";
import type { BundledDeck } from "./decks.ts";
import { type Entries, entriesOf, overrideList } from "./overrides.ts";
import type { Store } from "./store.ts";

const REMEMBERED = 16;

type Draft = Pick<Store, "deck" | "overrides"> & {
  page: Pick<Store["page"], "bundled" | "editedFrom" | "replaced" | "said">;
};

/** A deck takes the place of the one that is edited; `entries` are set over it. */
export function replaceDraft(
  { deck, overrides, page }: Draft,
  text: string,
  entries: Entries = {},
  from?: BundledDeck,
) {
  batch(() => {
    const { replaced, editedFrom } = page;
    replaced.set(deck.peek(), { entries: overrides.peek(), from: editedFrom.peek() });
    if (replaced.size > REMEMBERED) replaced.delete(replaced.keys().next().value!);
    deck.value = text;
    overrides.value = entries;
    editedFrom.value = from;
  });
}

/** `whole`: nothing of the earlier text is left, since another deck was pasted over it or that was undone. */
export function editDraft(draft: Draft, text: string, whole: boolean): void {
  const { deck, overrides, page } = draft;
  if (text === deck.peek()) return;
  if (!whole) {
    deck.value = text;
    return;
  }
  const before = Object.keys(overrides.peek());
  const { entries, from } = page.replaced.get(text) ?? { entries: {}, from: undefined };
  replaceDraft(draft, text, entries, from);
  const gone = before.filter((path) => !(path in entries));
  if (gone.length > 0)
    page.said.value = `Another deck: what was set for the one before is left out (${gone.join(", ")})`;
}

/** Drops for good what is set aside; says which, "" where nothing is. */
export function dropSetAside({ overrides, page }: Draft): string {
  const aside = overrideList(overrides.aside);
  overrides.value = overrides.peek();
  page.bundled.value = page.editedFrom.peek();
  return aside.length > 0 ? `The deck's own values count, not ${aside.join(", ")}` : "";
}

/** Those of `overrides` with which the page itself begins a deck gentler than it is. */
export function gentlerEntries(overrides: readonly string[], deck: BundledDeck | undefined): Entries {
  const of = (entries: Entries = {}) => overrideList(entries);
  const own = new Set([...of(deck?.gentle), ...of(deck?.small)]);
  return entriesOf(overrides.filter((one) => own.has(one)));
}
