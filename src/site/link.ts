/**
 * What the address says after "#": "spiral" for a bundled deck as the page begins it, or the whole state (deck with its
 * overrides, the variant beside it, view), as JSON, deflated, in base64url. Opening it does the same run again.
 */
import { QUANTITIES, STRETCHES, type View, wholeBox } from "../view/view.ts";
import type { BundledDeck } from "./decks.ts";
import { type Entries, overrideList, type Store } from "./store.ts";

export interface Shared {
  /** A bundled deck whose text is unchanged. */
  name?: string;
  /** The text otherwise. */
  text?: string;
  entries: Entries;
  /** Overrides of the variant beside it. */
  beside?: readonly string[];
  view: View;
}

const MARK = "g1.";

async function through(bytes: Uint8Array<ArrayBuffer>, stream: TransformStream<BufferSource, Uint8Array>) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** As it stands behind "#". */
export async function packed(shared: Shared): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return MARK + text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The name of a deck, the whole state, or undefined where the text is neither. */
export async function unpacked(fragment: string): Promise<Shared | { name: string } | undefined> {
  if (/^[a-z][a-z0-9-]*$/.test(fragment)) return { name: fragment };
  if (!fragment.startsWith(MARK)) return undefined;
  try {
    const text = atob(fragment.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const json = await through(bytes, new DecompressionStream("deflate-raw"));
    return checked(JSON.parse(new TextDecoder().decode(json)));
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every((text) => typeof text === "string");

/** Links come from anywhere. */
function checked(value: unknown): Shared | undefined {
  if (!isRecord(value) || !isRecord(value.entries) || !isView(value.view)) return undefined;
  if (typeof value.name !== "string" && typeof value.text !== "string") return undefined;
  if (!Object.values(value.entries).every((entry) => typeof entry === "string" || isNumber(entry))) return undefined;
  if (value.beside !== undefined && !isTexts(value.beside)) return undefined;
  return value as unknown as Shared;
}

function isView(value: unknown): value is View {
  if (!isRecord(value) || !isRecord(value.camera)) return false;
  const { camera, quantity, stretch, decades, brightest, smoothing, every, hidden } = value;
  const { azimuth, elevation, centre, span } = camera;
  return (
    [azimuth, elevation, span, decades, smoothing, every].every(isNumber) &&
    Array.isArray(centre) &&
    centre.length === 3 &&
    centre.every(isNumber) &&
    (brightest === "auto" || isNumber(brightest)) &&
    QUANTITIES.some((known) => known === quantity) &&
    STRETCHES.some((known) => known === stretch) &&
    isTexts(hidden)
  );
}

/** What pane "a" shows, as a link has it; undefined where it isn't a deck. */
export function shared(store: Store): Shared | undefined {
  const source = store.sources.a.value;
  if (source?.kind !== "deck") return undefined;
  const beside = store.comparing.value ? store.sources.b.value : undefined;
  const bundled = store.page.bundled.value;
  const entries = store.overrides.value;
  const asIs = bundled && store.page.bundledText.value === store.deck.value;
  return {
    ...(asIs ? { name: bundled.name } : { text: store.deck.value }),
    entries,
    ...(beside?.kind === "deck" && beside.text === source.text ? { beside: beside.overrides } : {}),
    view: store.view.value,
  };
}

/** Of the address bar: the deck's name alone where nothing was changed. */
export async function fragmentOf(store: Store): Promise<string> {
  const state = shared(store);
  if (!state) return "";
  const { name, beside, entries } = state;
  const deck = store.page.bundled.value;
  const plain = deck && name && !beside && !store.page.aimed.value && sameEntries(entries, deck.gentle);
  return plain && sameLook(state.view, deck) ? name : packed(state);
}

const sameEntries = (a: Entries, b: Entries) => overrideList(a).join("\n") === overrideList(b).join("\n");

/** Whether a view is drawn as its deck begins. */
function sameLook({ camera: _, ...own }: View, { look }: BundledDeck): boolean {
  const { camera: __, ...usual } = { ...wholeBox(1), ...look };
  return Object.entries(usual).every(([key, value]) => String(own[key as keyof typeof own]) === String(value));
}
