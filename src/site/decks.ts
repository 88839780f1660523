/** The decks that the page comes with: what the build writes into decks.json, and the way to their texts. */
import type { View } from "../view/view.ts";
import type { Entries } from "./overrides.ts";

/** A camera for a deck: angles [degree], the picture's shorter side as a share of the box. */
export interface DeckCamera {
  azimuth: number;
  elevation: number;
  share: number;
}

/** How else a deck is drawn to begin with than by the usual view. */
export type DeckLook = Partial<Omit<View, "camera">>;

export interface BundledDeck {
  /** The name of its file, without the ending. */
  name: string;
  title: string;
  reference: string;
  /** What there is to be seen, in one line. */
  line: string;
  group: string;
  /** As the deck has them; no cells: direct summation. */
  particles: number;
  cells?: number;
  /** What the page sets lower to begin with, and what comes of it. */
  gentle: Entries;
  gentleParticles: number;
  gentleCells?: number;
  /** The same for a run on the CPU. */
  small: Entries;
  camera: DeckCamera;
  look: DeckLook;
  /** Whether there is one. */
  picture: boolean;
}

/** The entries that a deck begins with in a browser that can do so much. */
export const entriesWith = (ability: { webgpu: boolean } | undefined, { gentle, small }: BundledDeck): Entries =>
  ability?.webgpu ? gentle : small;

/** Addresses are relative to the page's. */
export const deckPicture = (name: string) => `pictures/${name}.webp`;

async function loaded(file: string): Promise<Response> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return response;
}

export const loadDecks = async () => (await (await loaded("decks.json")).json()) as readonly BundledDeck[];
export const loadDeckText = async (name: string) => (await loaded(`decks/${name}.toml`)).text();

/** "50 000 particles, 64³ cells", "7500 particles, direct summation" */
export function sizeText(particles: number, cells: number | undefined): string {
  const count = particles.toLocaleString("en-GB").replaceAll(",", particles < 10_000 ? "" : "\u202f");
  return `${count} particles, ${cells === undefined ? "direct summation" : `${cells}³ cells`}`;
}
