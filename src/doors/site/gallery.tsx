/** All decks that the page comes with, and the way to one's own. */

import { openBundled, toggleGallery } from "./actions.ts";
import { Button } from "./controls.tsx";
import { type BundledDeck, deckPicture, deckSizeText } from "./decks.ts";
import { FileButton } from "./files.tsx";
import type { Store } from "./store.ts";

/** The size of the first run, where that is smaller than the deck's. */
function pictureSize({ particles, cells, gentleParticles, gentleCells, picture }: BundledDeck): string {
  const own = deckSizeText(gentleParticles, gentleCells);
  if (own === deckSizeText(particles, cells)) return "";
  return picture ? `Picture and first run: ${own}` : `First run: ${own}`;
}

function Card({ deck, store, first }: { deck: BundledDeck; store: Store; first: boolean }) {
  return (
    <li class={first ? "card first" : "card"}>
      <Button onClick={() => void openBundled(store, deck)}>
        <span class="card-picture">
          {deck.picture && (
            <img
              src={deckPicture(deck.name)}
              alt=""
              loading={first ? "eager" : "lazy"}
              decoding="async"
              width={640}
              height={480}
            />
          )}
        </span>
        <span class="card-words">
          <span class="card-title">{deck.title}</span>
          <span class="card-line">{deck.line}</span>
          <span class="card-size">{deckSizeText(deck.particles, deck.cells)}</span>
          <span class="card-size">{pictureSize(deck)}</span>
        </span>
      </Button>
    </li>
  );
}

function NoWebGpu({ store }: { store: Store }) {
  const ability = store.page.ability.value;
  if (!ability || ability.webgpu) return null;
  return (
    <div class="notice" role="status">
      <h2>No WebGPU in this browser</h2>
      <p>{ability.why}</p>
      <p>Until then the runs below start small, on the CPU: 32³ cells and some thousand particles.</p>
    </div>
  );
}

export function Gallery({ store }: { store: Store }) {
  const decks = store.page.decks.value;
  const groups = [...new Set(decks.map(({ group }) => group))];
  const { status, title } = store.panes.a.state.value;
  return (
    <main class="gallery">
      <header>
        <div>
          <h1>gravmesh</h1>
          <p class="lead">Watch a galaxy while it turns: gravity on your own graphics card, in this tab.</p>
        </div>
        <div class="bring">
          <FileButton store={store} />
          <p class="soft">or drop them anywhere on the page</p>
        </div>
      </header>
      {status !== "empty" && (
        <p class="back">
          <Button primary onClick={() => toggleGallery(store)}>
            Back to {title}
          </Button>
        </p>
      )}
      <NoWebGpu store={store} />
      {groups.map((name) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul class="cards">
            {decks
              .filter(({ group }) => group === name)
              .map((deck) => (
                <Card key={deck.name} deck={deck} store={store} first={deck === decks[0]} />
              ))}
          </ul>
        </section>
      ))}
      <footer class="soft">
        Everything is computed here: nothing leaves this tab, and nothing is loaded from elsewhere.{" "}
        <a href="#doctor">Check this adapter</a> · <a href="docs/index.html">Documentation</a>
      </footer>
    </main>
  );
}
