/**
 * What the address says after "#": "spiral" for a bundled deck as the page begins it, or the whole state (deck with its
 * overrides, the variant beside it, what is edited and not run yet, view), as JSON, deflated, in base64url. Opening it does
 * the same run again.
 */
import { QUANTITIES, STRETCHES, type View, wholeBox } from "../view/view.ts";
import { type BundledDeck, entriesWith } from "./decks.ts";
import { type Entries, entriesOf, overrideList } from "./overrides.ts";
import type { Store } from "./store.ts";

export interface Shared {
  /** A bundled deck whose text is unchanged. */
  name?: string;
  /** The text otherwise, and the bundled deck that it began as. */
  text?: string;
  from?: string;
  entries: Entries;
  /** Overrides of the variant beside it, and its text where that is another. */
  beside?: readonly string[];
  besideText?: string;
  /** What is edited, where it isn't what runs; without a text that is the same. */
  edited?: { text?: string; entries: Entries };
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
  if (!isRecord(value) || !isEntries(value.entries) || !isView(value.view)) return undefined;
  const { name, text, from, beside, besideText, edited } = value;
  if (typeof name !== "string" && typeof text !== "string") return undefined;
  if (![name, text, from, besideText].every(isTextOrNone)) return undefined;
  if (beside !== undefined && !isTexts(beside)) return undefined;
  if (edited !== undefined && !(isRecord(edited) && isTextOrNone(edited.text) && isEntries(edited.entries)))
    return undefined;
  return value as unknown as Shared;
}

const isTextOrNone = (value: unknown) => value === undefined || typeof value === "string";
const isEntries = (value: unknown) =>
  isRecord(value) && Object.values(value).every((entry) => typeof entry === "string" || isNumber(entry));

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

/** What pane "a" shows, as a link has it, with what is edited meanwhile; undefined where it isn't a deck. */
export function shared(
  store: Pick<Store, "sources" | "comparing" | "deck" | "overrides" | "view" | "page">,
): Shared | undefined {
  const source = store.sources.a.value;
  if (source?.kind !== "deck") return undefined;
  const { bundled, bundledText } = store.page;
  const entries = entriesOf(source.overrides);
  const from = bundled.value?.name;
  const name = bundledText.value === source.text ? from : undefined;
  const beside = store.comparing.value ? store.sources.b.value : undefined;
  const [text, set] = [store.deck.value, store.overrides.value];
  return {
    ...(name === undefined ? { text: source.text, ...(from !== undefined && { from }) } : { name }),
    entries,
    ...(beside?.kind === "deck" && { beside: beside.overrides }),
    ...(beside?.kind === "deck" && beside.text !== source.text && { besideText: beside.text }),
    ...((text !== source.text || !sameEntries(set, entries)) && {
      edited: { ...(text !== source.text && { text }), entries: set },
    }),
    view: store.view.value,
  };
}

/** Of the address bar: the deck's name alone where nothing was changed. */
export async function fragmentOf(store: Store): Promise<string> {
  const state = shared(store);
  if (!state) return "";
  const { name, beside, edited, entries } = state;
  const deck = store.page.bundled.value;
  const plain = deck && name && !beside && !edited && !store.page.aimed.value;
  return plain && sameEntries(entries, entriesWith(store.page.ability.value, deck)) && sameLook(state.view, deck)
    ? name
    : packed(state);
}

const sameEntries = (a: Entries, b: Entries) => overrideList(a).join("\n") === overrideList(b).join("\n");

/** Whether a view is drawn as its deck begins. */
function sameLook({ camera: _, ...own }: View, { look }: BundledDeck): boolean {
  const { camera: __, ...usual } = { ...wholeBox(1), ...look };
  return Object.entries(usual).every(([key, value]) => String(own[key as keyof typeof own]) === String(value));
}
