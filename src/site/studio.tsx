/** The picture, with everything around it. */
import { copyLink, edited, fullScreen, openBundled, runEdited, toggleGallery } from "./actions.ts";
import { sizeText } from "./decks.ts";
import { Dock } from "./dock.tsx";
import { Icon } from "./icons.tsx";
import { PaneView } from "./pane.tsx";
import type { Store } from "./store.ts";
import { IconButton, Transport } from "./transport.tsx";

/** What is left out of the picture: nobody should take a part for the whole. */
function Hidden({ store }: { store: Store }) {
  const { hidden } = store.view.value;
  const names = store.panes.a.state.value.components.map(({ name }) => name).filter((name) => hidden.includes(name));
  if (names.length === 0) return null;
  const show = () => {
    store.view.value = { ...store.view.value, hidden: [] };
  };
  return (
    <p class="gentle">
      Not drawn: {names.join(", ")}.{" "}
      <button type="button" class="text" onClick={show}>
        Draw all
      </button>
    </p>
  );
}

/** Where the page begins a deck gentler than it is: what is smaller, and the way to the whole. */
function Gentle({ store }: { store: Store }) {
  const deck = store.page.bundled.value;
  const source = store.sources.a.value;
  if (!deck || source?.kind !== "deck" || source.overrides.length === 0) return null;
  const { particles, cells } = store.panes.a.state.value;
  if (particles === 0 || particles >= deck.particles) return null;
  return (
    <p class="gentle">
      {sizeText(particles, cells)} in this page; the deck has {sizeText(deck.particles, deck.cells)}.{" "}
      <button type="button" class="text" onClick={() => void openBundled(store, deck, {})}>
        Run the whole deck
      </button>
    </p>
  );
}

function Head({ store }: { store: Store }) {
  const { title, notice, report } = store.panes.a.state.value;
  const served = store.page.served.value;
  return (
    <header class="bar">
      {served ? (
        <span class="brand">gravmesh</span>
      ) : (
        <button
          type="button"
          class="brand"
          title="All decks (G)"
          aria-keyshortcuts="G"
          onClick={() => toggleGallery(store)}
        >
          <Icon name="gallery" />
          <span>
            <span class="wide-only">gravmesh: </span>all decks
          </span>
        </button>
      )}
      <div class="bar-title">
        <h1>{title}</h1>
        <Gentle store={store} />
        <Hidden store={store} />
        {notice && <p class="gentle">{notice}</p>}
      </div>
      <div class="buttons">
        {edited(store) && (
          <button
            type="button"
            class="primary"
            title="Run the deck as edited (Ctrl+Enter)"
            onClick={() => runEdited(store)}
          >
            Run with changes
          </button>
        )}
        {report && (
          <a class="button" href={report} target="_blank" rel="noreferrer">
            <Icon name="report" /> Report
          </a>
        )}
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
