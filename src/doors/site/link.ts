/**
 * What the address says after "#": "spiral" for a bundled deck as the page begins it, or the whole state (deck with its
 * overrides, the variant beside it, what is edited and not run yet, view), as JSON, deflated, in base64url. Opening it does
 * the same run again.
 */
import { z } from "zod";
import { QUANTITIES, STRETCHES, type View, wholeBox } from "../../studio/view/view.ts";
import { type BundledDeck, entriesWith } from "./decks.ts";
import { type Entries, entriesOf, overrideList } from "./overrides.ts";
import type { Store } from "./store.ts";

// The page's policy forbids code from texts, which zod would otherwise try to make.
z.config({ jitless: true });

export const viewSchema: z.ZodType<View> = z.object({
  camera: z.object({
    ...{ azimuth: z.number(), elevation: z.number(), span: z.number().positive() },
    centre: z.tuple([z.number(), z.number(), z.number()]),
  }),
  ...{ quantity: z.enum(QUANTITIES), stretch: z.enum(STRETCHES), brightest: z.number().or(z.literal("auto")) },
  ...{ decades: z.number().positive(), smoothing: z.number().min(0), every: z.int().min(1) },
  hidden: z.array(z.string()),
  cores: z.boolean().default(true), // links of earlier versions don't say
});
const entriesSchema: z.ZodType<Entries> = z.record(z.string(), z.number().or(z.string()));
const someText = z.exactOptional(z.string());

/** A link may come from anywhere. */
const sharedSchema = z
  .object({
    /** A bundled deck whose text is unchanged; otherwise the text, and the bundled deck that it began as. */
    ...{ name: someText, text: someText, from: someText, entries: entriesSchema },
    /** Overrides of the variant beside it, and its text where that is another. */
    ...{ beside: z.exactOptional(z.array(z.string()).readonly()), besideText: someText },
    /** What is edited, where it isn't what runs; without a text that is the same. */
    edited: z.exactOptional(z.object({ text: someText, entries: entriesSchema })),
    view: viewSchema,
  })
  .refine(({ name, text }) => name !== undefined || text !== undefined);
export type SharedState = z.infer<typeof sharedSchema>;

const MARK = "g1.";
/** Letters of a link, and what it may inflate to [byte]: many times what the longest deck takes. */
export const MOST_LETTERS = 2 ** 17;
const MOST_BYTES = 2 ** 20;
/** Of what is inflated at a time [byte]; deflate makes at most 1032 times as much of it. */
const SLICE = 512;

/** Throws RangeError as soon as it is clear that more than MOST_BYTES would come. */
async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  let [at, length] = [0, 0];
  const slices = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(to) {
      if (at >= bytes.length) return to.close();
      to.enqueue(bytes.slice(at, at + SLICE));
      at += SLICE;
    },
  });
  const reader = slices.pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    parts.push(next.value);
    if (length <= MOST_BYTES) continue;
    void reader.cancel();
    throw new RangeError("the link holds too much");
  }
  return new Blob(parts).text();
}

export async function packLink(shared: SharedState): Promise<string> {
  const deflated = new Blob([JSON.stringify(shared)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return MARK + text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Of what stands behind "#": the name of a deck, the whole state, or undefined where it is neither, or too much. */
export async function unpackLink(address: string): Promise<SharedState | { name: string } | undefined> {
  if (address.length > MOST_LETTERS) return undefined;
  try {
    const fragment = decodeURIComponent(address);
    if (/^[a-z][a-z0-9-]*$/.test(fragment)) return { name: fragment };
    if (!fragment.startsWith(MARK)) return undefined;
    const text = atob(fragment.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return sharedSchema.parse(JSON.parse(await inflated(bytes)));
  } catch {
    return undefined;
  }
}

/** What pane "a" shows, as a link has it, with what is edited meanwhile; undefined where it isn't a deck. */
export function shared(
  store: Pick<Store, "sources" | "comparing" | "deck" | "overrides" | "view" | "page">,
): SharedState | undefined {
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

/** What the address bar has: the deck's name alone where nothing was changed. */
export async function fragmentOf(store: Store): Promise<string> {
  const state = shared(store);
  if (!state) return "";
  const { name, beside, edited, entries } = state;
  const deck = store.page.bundled.value;
  const plain = deck && name && !beside && !edited && !store.page.aimed.value;
  return plain && sameEntries(entries, entriesWith(store.page.ability.value, deck)) && sameLook(state.view, deck)
    ? name
    : packLink(state);
}

const sameEntries = (a: Entries, b: Entries) => overrideList(a).join("\n") === overrideList(b).join("\n");

/** Whether a view is drawn as its deck begins. */
function sameLook({ camera: _, ...own }: View, { look }: BundledDeck): boolean {
  const { camera: __, ...usual } = { ...wholeBox(1), ...look };
  return Object.entries(usual).every(([key, value]) => String(own[key as keyof typeof own]) === String(value));
}
