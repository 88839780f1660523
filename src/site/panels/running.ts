/** What is edited, made to run: from the beginning, from here, or beside what runs. */
import * as actions from "../actions.ts";
import { DEFAULT, ownValue, tablesIn } from "../overrides.ts";
import { editedDeck, openIn, type Store } from "../store.ts";
import { difference } from "./checking.ts";

/** What has changed, as overrides; one that was taken away is the deck's own value again. */
function changedOverrides(store: Store): string[] {
  const deck = tablesIn(store.deck.value);
  const written = (path: string) => store.check.value?.sliders.find((slider) => slider.path === path)?.value;
  const own = (path: string) => written(path) ?? [ownValue(deck, path)].find((value) => value !== DEFAULT);
  return (difference(store)?.overrides ?? []).flatMap(({ path, to = own(path) }) =>
    to === undefined ? [] : [`${path}=${to}`],
  );
}

async function told(store: Store, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    actions.say(store, error instanceof Error ? error.message : String(error));
  }
}

/** The run under way goes on with what has changed. */
export function goOnHere(store: Store): void {
  const changed = changedOverrides(store);
  void told(store, async () => {
    await store.stage.fork("a", "a", changed);
    store.sources.a.value = editedDeck(store);
  });
}

/** A second picture, from the beginning, of what is edited; the first one begins anew, also where it was forked. */
export function compareEdited(store: Store): void {
  const running = store.panes.a.state.value.status === "running";
  store.comparing.value = true;
  store.page.wanted.value = running;
  void told(store, async () => {
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
  void told(store, async () => {
    await store.page.attached.b.promise;
    await store.stage.fork("a", "b", changed);
  });
}
