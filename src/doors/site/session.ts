/** The page's background work: the worker gets the view, and the address follows what is shown, for a reload to find. */
import { computed, effect, untracked } from "@preact/signals";
import { type About, API, type Remote, TOKEN } from "../../studio/live/protocol.ts";
import { leaveOut, openBundled, openText, placeCamera, say } from "./actions.ts";
import { loadDecks } from "./decks.ts";
import { replaceDraft } from "./draft.ts";
import { latest } from "./latest.ts";
import { fragmentOf, type SharedState, unpackLink } from "./link.ts";
import { editedDeck, openIn, type Store } from "./store.ts";
import { messageText } from "./words.ts";
import { withToken } from "./worker/connection.ts";

/** How long everything rests before the address follows [ms]. */
const ADDRESS_REST = 600;

export function keepTogether(store: Store): void {
  const { page, panes } = store;
  const look = latest((moving: boolean) => store.stage.look(store.view.value, moving));
  effect(() => {
    store.view.value;
    look(page.moving.value);
  });

  const box = computed(() => (panes.a.state.value.status === "empty" ? 0 : panes.a.state.value.boxSize));
  effect(() => {
    page.bundled.value;
    if (box.value > 0 && !page.aimed.value) untracked(() => placeCamera(store));
  });
  const names = computed(() =>
    panes.a.state.value.components.map(({ name, species }) => `${name} ${species}`).join("\n"),
  );
  effect(() => {
    if (names.value !== "") untracked(() => leaveOut(store));
  });
  let before = panes.a.state.value.status;
  effect(() => {
    const { status } = panes.a.state.value;
    const isReady = status === "paused" && before !== "paused";
    before = status;
    // The worker runs nothing of its own accord: what was asked for while it prepared is done now. A run that was paused before
    // isn't the one that was asked for.
    if (isReady && page.wanted.peek()) {
      page.wanted.value = false;
      void store.stage.play();
    }
  });
  effect(() => {
    const { title, status } = panes.a.state.value;
    document.title = page.screen.value === "studio" && status !== "empty" ? `${title} · gravmesh` : "gravmesh";
  });
}

/** The address follows what is shown: a deck's name, a whole state, or nothing in the gallery; the way back leads through them. */
function keepAddress(store: Store): void {
  const { page } = store;
  if (page.served.value) return;
  let written = location.hash;
  /** The address of what the studio shows. */
  let studio = written;
  const put = (hash: string, anew: boolean) => {
    written = hash;
    const address = hash === "" ? location.pathname + location.search : hash;
    if (anew) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  };
  const write = async () => {
    const fragment = await fragmentOf(store);
    if (page.screen.value === "gallery" || fragment === "") return;
    studio = `#${fragment}`;
    if (studio !== written) put(studio, written === "");
  };
  let timer = 0;
  effect(() => {
    store.view.value;
    store.deck.value;
    store.overrides.value;
    store.sources.a.value;
    store.sources.b.value;
    store.comparing.value;
    window.clearTimeout(timer);
    if (page.screen.value === "studio") timer = window.setTimeout(write, ADDRESS_REST);
    else if (written !== "") put("", true);
  });
  window.addEventListener("popstate", () => {
    if (location.hash === written) return;
    written = location.hash;
    page.screen.value = written === "" ? "gallery" : "studio";
    // What the studio still holds goes on as it is.
    if (written !== "" && !(written === studio && store.sources.a.value)) void openAddress(store);
  });
}

/** Opens what the address says: a deck or a whole state; the gallery where it can't. */
async function openAddress(store: Store): Promise<void> {
  const refuse = (why: string) => {
    store.page.screen.value = "gallery";
    say(store, why);
  };
  store.page.screen.value = "studio";
  const state = await unpackLink(location.hash.slice(1));
  if (!state)
    return refuse("The link is incomplete or damaged, or holds more than a deck: nothing could be read from it");
  const deck = store.page.decks.value.find(({ name }) => name === state.name);
  if (state.name && !deck) return refuse(`The link names a deck that this page doesn't have: ${state.name}`);
  if (!("view" in state)) return deck && openBundled(store, deck);
  const from = store.page.decks.value.find(({ name }) => name === state.from);
  if (deck) await openBundled(store, deck, state.entries, true);
  else await openText(store, state.text ?? "", { entries: state.entries, from, linked: true });
  await lookAs(store, state);
}

async function lookAs(store: Store, { view, beside, besideText, edited }: SharedState): Promise<void> {
  store.page.aimed.value = store.page.chosen.value = true;
  store.view.value = view;
  const source = editedDeck(store);
  // What was edited when the link was made, and not run.
  if (edited) replaceDraft(store, edited.text ?? store.deck.value, edited.entries, store.page.editedFrom.value);
  if (!beside || source.kind !== "deck") return;
  store.comparing.value = true;
  await openIn(store, "b", { ...source, text: besideText ?? source.text, overrides: beside, linked: true });
}

/** Shows the server's folder or run; a server that can't be reached yet is asked again by the worker, which says so. */
async function openServed(store: Store, remote: Remote): Promise<void> {
  const { page } = store;
  page.screen.value = "studio";
  page.served.value = { live: false };
  await openIn(store, "a", { kind: "remote", remote });
  try {
    const response = await fetch(remote.base + API.about, withToken(remote));
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    const about = (await response.json()) as About;
    page.served.value = { live: about.kind === "live" };
    store.deck.value = about.deck;
  } catch (error) {
    say(store, `The server doesn't answer: ${messageText(error)}`);
  }
}

/** Asks the worker and the server once, at the start. */
export async function begin(store: Store): Promise<void> {
  const { page } = store;
  const ability = store.stage.ability().then((answer) => {
    page.ability.value = answer;
    page.asked.resolve();
  });
  const decks = loadDecks().then(
    (list) => {
      page.decks.value = list;
    },
    (error: unknown) => say(store, `The gallery couldn't be read: ${String(error)}`),
  );
  // The server of `gravmesh view` or `gravmesh run --live`, whose page's address carries a token.
  const token = new URLSearchParams(location.search).get(TOKEN);
  if (token) return openServed(store, { base: new URL("./", location.href).href, token });
  if (location.hash !== "") page.screen.value = "studio";
  keepAddress(store);
  await Promise.all([ability, decks]);
  if (location.hash !== "" && !store.sources.a.value) await openAddress(store);
}
