/** The second picture: as a fork of the first, or both from the beginning. */
import { closeComparison, say } from "./actions.ts";
import { difference, OTHER_TEXT } from "./panels/checking.ts";
import { compareEdited, forkHere } from "./panels/running.ts";
import type { Store } from "./store.ts";

function isRun(store: Store): boolean {
  if (store.sources.a.value?.kind === "deck") return true;
  say(store, "Only the run of a deck can have a variant beside it");
  return false;
}

/** What the first picture shows goes on in the second as well, with what has been changed in the deck since. */
export function fork(store: Store): void {
  if (!isRun(store)) return;
  const changed = difference(store);
  if (changed?.text) {
    say(store, OTHER_TEXT);
    return;
  }
  const changes = changed?.overrides ?? [];
  const words = changes.map(({ path, to }) => (to === undefined ? path : `${path}=${to}`));
  say(store, words.length > 0 ? `Forked with ${words.join(", ")}` : "Forked: change a parameter, then fork again");
  forkHere(store);
}

/** The deck as edited beside the one that runs, both from the beginning; or one picture again. */
export function toggleComparison(store: Store): void {
  if (store.comparing.value) {
    void closeComparison(store).catch((error: unknown) => say(store, String(error)));
  } else if (isRun(store)) compareEdited(store);
}
