/** The decks that the page comes with: what the build writes into decks.json, and the way to their texts. */
import type { Species } from "../../physics/particles/state.ts";
import type { View } from "../../studio/view/view.ts";
import type { Entries } from "./overrides.ts";

/** A camera for a deck: angles [degree], and the picture's shorter side as a share of the box. */
export interface DeckCamera {
  azimuth: number;
  elevation: number;
  share: number;
}

/** What a deck's first picture has other than the usual view. */
export type DeckLook = Partial<Omit<View, "camera">>;

export interface BundledDeck {
  /** The name of its file, without the ending. */
  name: string;
  title: string;
  reference: string;
  /** What there is to see, in one line. */
  line: string;
  group: string;
  /** As the deck has them; no cells: direct summation. */
  particles: number;
  cells?: number;
  /** What the page sets lower to begin with, and what comes of it. */
  gentle: Entries;
  gentleParticles: number;
  gentleCells?: number;
  /** What is set for the CPU. */
  small: Entries;
  camera: DeckCamera;
  look: DeckLook;
  picture: boolean;
}

export const entriesWith = (ability: { webgpu: boolean } | undefined, { gentle, small }: BundledDeck): Entries =>
  ability?.webgpu ? gentle : small;

export const deckPicture = (name: string) => `pictures/${name}.webp`;

async function loaded(file: string): Promise<Response> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
  return response;
}

export const loadDecks = async () => (await (await loaded("decks.json")).json()) as readonly BundledDeck[];
export const loadDeckText = async (name: string) => (await loaded(`decks/${name}.toml`)).text();

/** "50 000 particles, 64³ cells", "7500 particles, direct summation" */
export function deckSizeText(particles: number, cells: number | undefined): string {
  const count = particles.toLocaleString("en-GB").replaceAll(",", particles < 10_000 ? "" : "\u202f");
  return `${count} particles, ${cells === undefined ? "direct summation" : `${cells}³ cells`}`;
}

/**
 * The components that are left out at first. Dark haloes have most of the mass and would drown the stars in them: where there
 * are both and colours don't tell them apart, the stars come first, and the page says what isn't drawn.
 */
export function leftOutFirst(
  components: readonly { name: string; species: Species }[],
  quantity = "density",
): readonly string[] {
  const shines = components.some(({ species }) => species !== "halo" && species !== "black-holes");
  if (!shines || quantity === "species") return [];
  return components.filter(({ species }) => species === "halo").map(({ name }) => name);
}
