/** The picture, with everything around it. */

import type { ComponentChildren } from "preact";
import { copyLink, fullScreen, hide, keepPaused, runEdited, runWhole, toggleGallery } from "./actions.ts";
import { Button, Icon, IconButton } from "./controls.tsx";
import { deckSizeText } from "./decks.ts";
import { Dock } from "./dock.tsx";
import { gentlerEntries } from "./draft.ts";
import { type Entries, ownValue, tablesIn } from "./overrides.ts";
import { PaneView } from "./pane.tsx";
import type { Store } from "./store.ts";
import { Transport } from "./transport.tsx";
import { variantDifference } from "./variants.ts";

/** Something to know, with what can be done about it. */
function Note({ children, action, run }: { children: ComponentChildren; action: string; run: () => void }) {
  return (
    <p class="gentle">
      {children}{" "}
      <Button class="text" onClick={run}>
        {action}
      </Button>
    </p>
  );
}

/** What is left out of the picture, so that nobody takes a part for the whole. */
function Hidden({ store }: { store: Store }) {
  const { hidden } = store.view.value;
  const names = store.panes.a.state.value.components.map(({ name }) => name).filter((name) => hidden.includes(name));
  if (names.length === 0) return null;
  return (
    <Note action="Draw all" run={() => hide(store, [])}>
      Not drawn: {names.join(", ")}.
    </Note>
  );
}

/** What is smaller where the page begins a deck gentler than it is, and the way to the whole. */
function Gentle({ store }: { store: Store }) {
  const deck = store.page.bundled.value;
  const source = store.sources.a.value;
  if (!deck || source?.kind !== "deck") return null;
  const gentler = gentlerEntries(source.overrides, deck);
  const { particles, cells } = store.panes.a.state.value;
  if (particles === 0 || Object.keys(gentler).length === 0) return null;
  return (
    <Note action="Run the whole deck" run={() => runWhole(store)}>
      {deckSizeText(particles, cells)} in this page; {wholeText(store, source.text, gentler)}.
    </Note>
  );
}

/** What becomes of a live run's pause when everybody has gone. */
function Pause({ store }: { store: Store }) {
  const { stays } = store.panes.a.state.value;
  if (stays === undefined) return null;
  return (
    <Note action={stays ? "Let it go on then" : "Keep it paused"} run={() => keepPaused(store, !stays)}>
      {stays ? "It stays paused when no page is open." : "It goes on when the last page has been closed."}
    </Note>
  );
}

/** The size of the gallery's deck as it ships; of a deck that was edited, the entries that are lower here. */
function wholeText({ page }: Store, text: string, gentler: Entries): string {
  const deck = page.bundled.value!;
  if (text === page.bundledText.value) return `the deck has ${deckSizeText(deck.particles, deck.cells)}`;
  const tables = tablesIn(text);
  return `the deck has ${Object.keys(gentler)
    .map((path) => `${path} = ${ownValue(tables, path)}`)
    .join(", ")}`;
}

function Head({ store }: { store: Store }) {
  const { title, notice, report } = store.panes.a.state.value;
  const served = store.page.served.value;
  return (
    <header class="bar">
      {served ? (
        <span class="brand">gravmesh</span>
      ) : (
        <Button class="brand" title="All decks (G)" aria-keyshortcuts="G" onClick={() => toggleGallery(store)}>
          <Icon name="gallery" />
          <span>
            <span class="wide-only">gravmesh: </span>all decks
          </span>
        </Button>
      )}
      <div class="bar-title">
        <h1>{title}</h1>
        <Gentle store={store} />
        <Hidden store={store} />
        <Pause store={store} />
        {notice && <p class="gentle">{notice}</p>}
      </div>
      <div class="buttons">
        {variantDifference(store) && (
          <Button primary title="Run the deck as edited (Ctrl+Enter)" onClick={() => runEdited(store)}>
            Run with changes
          </Button>
        )}
        {report && (
          <a class="button" href={report} target="_blank" rel="noreferrer">
            <Icon name="report" /> Report
          </a>
        )}
        <a class="button" href="docs/index.html" target="_blank" rel="noreferrer">
          Docs
        </a>
        {!served && (
          <IconButton icon="link" label="Copy a link to what is shown" keyName="L" run={() => void copyLink(store)} />
        )}
        <IconButton icon="full" label="Full screen" keyName="W" run={fullScreen} />
      </div>
    </header>
  );
}

export function Studio({ store, hidden }: { store: Store; hidden: boolean }) {
  const comparing = store.comparing.value;
  return (
    <main class="studio" hidden={hidden}>
      <Head store={store} />
      <div class={comparing ? "panes two" : "panes"}>
        <PaneView pane="a" store={store} hidden={false} />
        <PaneView pane="b" store={store} hidden={!comparing} />
      </div>
      <Transport store={store} />
      <Dock store={store} />
    </main>
  );
}
