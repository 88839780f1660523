/** What the page does when it is asked to, by a button, a key or a link: one function for each. */
import { wholeBox } from "../../studio/view/view.ts";
import { whole } from "./camera-moves.ts";
import { type BundledDeck, entriesWith, leftOutFirst, loadDeckText } from "./decks.ts";
import { dropSetAside, gentlerEntries, replaceDraft } from "./draft.ts";
import { MOST_LETTERS, packLink, shared } from "./link.ts";
import { type Entries, overrideList } from "./overrides.ts";
import type { Pane, PaneState, Source } from "./stage.ts";
import { editedDeck, openIn, type Store, setView } from "./store.ts";
import { messageText } from "./words.ts";

const { camera: _, ...LOOK } = wholeBox(1);

export function say(store: Store, text: string): void {
  store.page.said.value = text;
}

/** Does something, and says so where it fails on the way to the worker. */
export const attempt = (store: Store, work: () => Promise<unknown>): Promise<void> =>
  work().then(
    () => {},
    (error: unknown) => say(store, messageText(error)),
  );

/** The entries that a bundled deck begins with on this machine. */
async function firstEntries({ page }: Store, deck: BundledDeck): Promise<Entries> {
  await page.asked.promise;
  return entriesWith(page.ability.value, deck);
}

/** The studio with pane "a" empty of what it had; the camera goes to its place as soon as the box is known. */
export async function show(store: Store, source: Source): Promise<void> {
  const { page } = store;
  page.screen.value = "studio";
  page.wanted.value = source.kind === "deck";
  page.aimed.value = page.chosen.value = false;
  if (store.comparing.value) await closeComparison(store);
  await openIn(store, "a", source);
}

interface Opening {
  entries?: Entries;
  files?: readonly File[];
  from?: BundledDeck | undefined;
  /** The text of `from` as it ships. */
  shipped?: string;
  /** A link has brought it: a large run waits to be asked for. */
  linked?: boolean;
}

async function openDeck(store: Store, text: string, opening: Opening): Promise<void> {
  const { entries, files, from, shipped = "", linked = false } = opening;
  store.page.bundled.value = from;
  store.page.bundledText.value = shipped;
  replaceDraft(store, text, entries, from);
  // A link may bring entries that the deck has no place for.
  const aside = overrideList(store.overrides.aside);
  if (aside.length > 0) say(store, `Left out, since the deck has no place for it: ${aside.join(", ")}`);
  const overrides = overrideList(store.overrides.value);
  await show(store, { kind: "deck", text, overrides, linked, ...(files?.length && { files }) });
}

/** Without `entries` as the page begins the deck; with none in them as it ships. */
export const openBundled = (store: Store, deck: BundledDeck, given?: Entries, linked = false): Promise<void> =>
  attempt(store, async () => {
    const [text, entries] = await Promise.all([loadDeckText(deck.name), given ?? firstEntries(store, deck)]);
    await openDeck(store, text, { entries, from: deck, shipped: text, linked });
  });

export const openText = (store: Store, text: string, opening: Opening = {}): Promise<void> =>
  attempt(store, () => openDeck(store, text, opening));

export async function openSnapshot(store: Store, files: readonly File[]): Promise<void> {
  store.page.bundled.value = undefined;
  replaceDraft(store, "");
  await attempt(store, () => show(store, { kind: "snapshot", files }));
}

const goes = (store: Store) => store.panes.a.state.value.status;

export function playOrPause(store: Store): void {
  const status = goes(store);
  const { wanted } = store.page;
  if (status === "preparing") wanted.value = !wanted.value;
  else if (status === "running") {
    wanted.value = false;
    void attempt(store, () => store.stage.pause());
  } else if (status === "paused" || status === "shown") void attempt(store, () => store.stage.play());
  else if (status === "done") void restart(store, true);
}

export function step(store: Store): void {
  store.page.wanted.value = false;
  const { frames } = store.panes.a.state.value;
  void attempt(store, () => (frames ? store.stage.moveFrame("a", 1) : store.stage.step()));
}

/** The present of a live run comes after its snapshots. */
export const lastFrame = ({ times, live }: NonNullable<PaneState["frames"]>): number =>
  times.length - (live === true ? 0 : 1);

export function showFrame(store: Store, index: number): void {
  const { frames } = store.panes.a.state.value;
  if (frames && index >= 0 && index <= lastFrame(frames)) void attempt(store, () => store.stage.showFrame("a", index));
}

export const previousFrame = (store: Store): unknown =>
  store.panes.a.state.value.frames && attempt(store, () => store.stage.moveFrame("a", -1));

export function restart(store: Store, run = goes(store) === "running"): void {
  store.page.wanted.value = run;
  void attempt(store, () => store.stage.restart());
}

/** The deck and its overrides as they are edited now, from the beginning. */
export function runEdited(store: Store): void {
  if (store.deck.value.trim() === "") return;
  store.page.screen.value = "studio";
  store.page.wanted.value = true;
  const settled = dropSetAside(store);
  if (settled !== "") say(store, settled);
  void attempt(store, () => openIn(store, "a", editedDeck(store)));
}

/** What a link has brought and its reader now asks for, however large. */
export function runLinked(store: Store, pane: Pane): void {
  const source = store.sources[pane].value;
  if (source?.kind === "deck") void attempt(store, () => openIn(store, pane, { ...source, linked: false }));
}

/** The deck of the gallery as it is, or as its reader has changed it, without what the page has set to begin gentler. */
export function runWhole(store: Store): void {
  const gentler = gentlerEntries(overrideList(store.overrides.value), store.page.editedFrom.value);
  const own = Object.entries(store.overrides.value).filter(([path]) => !(path in gentler));
  store.overrides.value = Object.fromEntries(own);
  runEdited(store);
}

export const keepPaused = (store: Store, stays: boolean) => attempt(store, () => store.stage.keepPaused("a", stays));
export const stop = (store: Store) => attempt(store, () => store.stage.stop("a"));

export async function closeComparison(store: Store): Promise<void> {
  store.comparing.value = false;
  store.sources.b.value = undefined;
  await store.stage.close("b");
}

export function setPanel(store: Store, id: string | undefined): void {
  const { panel } = store.page;
  panel.value = panel.value === id ? undefined : id;
}

export const togglePanel = (store: Store) => setPanel(store, store.page.panel.value ?? "picture");

export function closePanel(store: Store): void {
  store.page.panel.value = undefined;
}

export function showKeys(store: Store): void {
  store.page.screen.value = "studio";
  store.page.panel.value = "keys";
}

export function toggleGallery(store: Store): void {
  const { screen } = store.page;
  if (screen.value === "studio") {
    if (goes(store) === "running") void attempt(store, () => store.stage.pause());
    screen.value = "gallery";
  } else if (goes(store) !== "empty") screen.value = "studio";
}

export function fullScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.querySelector("main")?.requestFullscreen?.();
}

export async function copyLink(store: Store): Promise<void> {
  const state = shared(store);
  const fragment = state && (await packLink(state));
  if (fragment && fragment.length > MOST_LETTERS) return say(store, "The deck is too long for a link: share its file");
  const address = fragment ? new URL(`#${fragment}`, location.href).href : location.href;
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    say(store, "Link copied: it holds the deck, its seed, the camera and the colours");
  } catch {
    say(store, "The link is in the address bar: copy it from there");
  }
}

/** The picture as its deck begins: the camera in its place, all but what the deck's look leaves out. */
export function placeCamera(store: Store): void {
  const { view, page } = store;
  const camera = whole(store);
  const usual = { ...view.value, camera };
  // Another deck's look goes with it; what the reader has chosen for a deck of their own stays.
  view.value = page.bundled.value ? { ...usual, ...LOOK, ...page.bundled.value.look } : usual;
  leaveOut(store);
}

/** What a picture leaves out at first, unless the reader has chosen. */
export function firstHidden({ page, panes, view }: Store): readonly string[] {
  return page.bundled.value?.look.hidden ?? leftOutFirst(panes.a.state.value.components, view.value.quantity);
}

/** Takes effect as soon as the components are known. */
export function leaveOut(store: Store): void {
  if (store.page.chosen.value) return;
  const hidden = firstHidden(store);
  if (hidden.join() !== store.view.value.hidden.join()) setView(store, { hidden });
}

/** From here on the reader chooses which components are drawn. */
export function hide(store: Store, hidden: readonly string[]): void {
  store.page.chosen.value = true;
  setView(store, { hidden });
}
