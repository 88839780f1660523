/**
 * Links to the studio, as they may come by mail. What a link holds is read in Node, by the page's own code: it is a state that
 * the page takes, or nothing, and costs little memory. What happens to the page itself is seen in Chromium.
 */
import { existsSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { deflateRawSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { packLink, type SharedState, unpackLink } from "../../src/doors/site/link.ts";
import { wholeBox } from "../../src/studio/view/view.ts";
import { launchChromium, serve } from "../support/browser.ts";
import type { Try } from "./try.ts";

const view = wholeBox(10);
const SHARED: SharedState = { name: "spiral", entries: {}, view };
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
/** A link of any text, deflated as the page does it. */
const linkOf = (text: string | Uint8Array) => `g1.${base64(deflateRawSync(text))}`;
const jsonLink = (state: unknown) => linkOf(JSON.stringify(state));
/** JSON that JSON.stringify wouldn't write. */
const viewed = (json: string) => linkOf(`{"name":"spiral","entries":{},"view":${json}}`);
const VIEW = JSON.stringify(view);

/** A link may take so much more memory while it is read [byte]. */
const MOST_HELD = 64 * 2 ** 20;

const refused = (name: string, make: () => string): Try => ({
  name,
  async run() {
    const address = make();
    const before = process.memoryUsage().rss;
    const state = await unpackLink(address);
    const held = process.memoryUsage().rss - before;
    if (state !== undefined) return `taken for ${JSON.stringify(state).slice(0, 200)}`;
    return held > MOST_HELD ? `${(held / 2 ** 20).toFixed(0)} MiB were held` : undefined;
  },
});

const NOT_LINKS: Record<string, string> = {
  "malformed percent encoding": "%E0%A4%A",
  "a lone percent sign": "%",
  "percent encoding of half a surrogate": "%ED%A0%80",
  "a NUL": "%00",
  "a path": "../../etc/passwd",
  "a path in percent": "..%2f..%2fetc%2fpasswd",
  "a script's address": "javascript:alert(1)",
  "a tag": "<img src=x onerror=alert(1)>",
  "a name with a capital": "Spiral",
  "another version": "g2.AAAA",
  "the mark alone": "g1.",
  "letters that aren't base64": "g1.!!!!",
  "a name of 200 kB": "a".repeat(200_000),
  spaces: "g1.   ",
};

const CONTENTS: Record<string, () => string> = {
  "300 MB of zeros, in 300 kB": () => linkOf(Buffer.alloc(300e6)),
  "300 MB of JSON white space": () => linkOf(Buffer.alloc(300e6, " ")),
  "60 MB of zeros, short enough to be read": () => linkOf(Buffer.alloc(60e6)),
  "2 MB of text, just beyond the bound": () => jsonLink({ ...SHARED, name: undefined, text: "x".repeat(2e6) }),
  "a list nested a million times": () => linkOf("[".repeat(1e6)),
  "objects nested 100 000 times": () => linkOf('{"a":'.repeat(1e5)),
  "bytes that aren't deflated": () => `g1.${base64(Buffer.from("not deflated at all, not deflated at all"))}`,
  "gzip in place of deflate": () => `g1.${base64(Buffer.from("1f8b0800000000000003", "hex"))}`,
  "a link cut in the middle": () => jsonLink({ ...SHARED, text: "title = 1\n".repeat(50) }).slice(0, 60),
  "text that isn't JSON": () => linkOf("title = 3"),
  "text that isn't UTF-8": () => linkOf(Buffer.from([0xff, 0xfe, 0x7b, 0x7d])),
  nothing: () => linkOf(""),
  null: () => jsonLink(null),
  "a number": () => jsonLink(5),
  "a list": () => jsonLink([SHARED]),
  "no deck": () => jsonLink({ entries: {}, view }),
  "no view": () => jsonLink({ name: "spiral", entries: {} }),
  "no entries": () => jsonLink({ name: "spiral", view }),
  "a deck that is a number": () => jsonLink({ ...SHARED, name: 5 }),
  "a text that is an object": () => jsonLink({ text: { toString: "x" }, entries: {}, view }),
  "entries that are a list": () => jsonLink({ ...SHARED, entries: [1, 2] }),
  "an entry that is an object": () => jsonLink({ ...SHARED, entries: { "mesh.cells": {} } }),
  "an entry that is null": () => jsonLink({ ...SHARED, entries: { "mesh.cells": null } }),
  "an entry that is infinite": () => linkOf(`{"name":"spiral","entries":{"mesh.cells":1e999},"view":${VIEW}}`),
  "a variant that is a text": () => jsonLink({ ...SHARED, beside: "mesh.cells=32" }),
  "a variant of numbers": () => jsonLink({ ...SHARED, beside: [3] }),
  "edits without entries": () => jsonLink({ ...SHARED, edited: { text: "x" } }),
  "an unknown quantity": () => jsonLink({ ...SHARED, view: { ...view, quantity: "constructor" } }),
  "an unknown stretch": () => jsonLink({ ...SHARED, view: { ...view, stretch: "__proto__" } }),
  "a span of 0": () => jsonLink({ ...SHARED, view: { ...view, camera: { ...view.camera, span: 0 } } }),
  "a negative span": () => jsonLink({ ...SHARED, view: { ...view, camera: { ...view.camera, span: -1 } } }),
  "an infinite span": () => viewed(VIEW.replace('"span":10', '"span":1e999')),
  "a centre of two numbers": () =>
    jsonLink({ ...SHARED, view: { ...view, camera: { ...view.camera, centre: [1, 2] } } }),
  "a camera that is null": () => jsonLink({ ...SHARED, view: { ...view, camera: null } }),
  "no decades": () => jsonLink({ ...SHARED, view: { ...view, decades: 0 } }),
  "a negative smoothing": () => jsonLink({ ...SHARED, view: { ...view, smoothing: -8 } }),
  "every 0th particle": () => jsonLink({ ...SHARED, view: { ...view, every: 0 } }),
  "every half particle": () => jsonLink({ ...SHARED, view: { ...view, every: 0.5 } }),
  "hidden components that are numbers": () => jsonLink({ ...SHARED, view: { ...view, hidden: [1] } }),
};

/** What is taken leaves the prototypes of objects as they are. */
const polluting = (name: string, json: string): Try => ({
  name,
  async run() {
    const state = await unpackLink(linkOf(json));
    const seen = ({} as Record<string, unknown>).polluted ?? (state as { polluted?: unknown } | undefined)?.polluted;
    return seen === undefined ? undefined : `objects have "polluted" = ${String(seen)}`;
  },
});

/** What the longest deck of the page takes many times over is still read. */
const large: Try = {
  name: "a deck of 500 kB is no attack",
  async run() {
    const shared = { text: `title = "x"\n${"# a comment\n".repeat(42_000)}`, entries: { "mesh.cells": 64 }, view };
    const found = await unpackLink(await packLink(shared));
    return isDeepStrictEqual(found, shared) ? undefined : "it isn't read as it was written";
  },
};

const DECK = (cells: number, count: number) =>
  `title = "A link's"\n[box]\nsize = 10\n[mesh]\ncells = ${cells}\n[[particles]]\nkind = "plummer"\ncount = ${count}\ncutoff = 2\n` +
  "[time]\nend = 10\nstep = 0.01\n";
const HOSTILE = "<img src=x onerror=alert(1)>";

let opened: Promise<{ browser: Browser; url: string; server: Server }> | undefined;
/** One browser for all, which ends with this process. */
function page(): NonNullable<typeof opened> {
  opened ??= (async () => {
    const folder = join(process.cwd(), "dist/site");
    if (!existsSync(join(folder, "index.html"))) throw new Error("dist/site isn't built: npm run build");
    const [browser, { url, server }] = await Promise.all([launchChromium(), serve(folder)]);
    return { browser, url, server };
  })();
  return opened;
}

/** Opens a link in a tab of its own; `sees` resolves when the page shows what it should, and rejects otherwise. */
const inChromium = (name: string, fragment: () => string, sees: (page: Page) => Promise<unknown>): Try => ({
  name: `Chromium: ${name}`,
  async run() {
    const { browser, url } = await page();
    const tab = await browser.newPage();
    const scripts: string[] = [];
    tab.on("dialog", (dialog) => {
      scripts.push(dialog.message());
      void dialog.dismiss();
    });
    try {
      await tab.goto(`${url}/index.html#${fragment()}`);
      await sees(tab);
      return scripts.length === 0 ? undefined : `a script of the link's ran: ${scripts.join()}`;
    } finally {
      await tab.close();
    }
  },
});
const PATIENCE = { timeout: 40_000 };
const gallery = async (tab: Page) => {
  await tab.getByText("nothing could be read from it").waitFor(PATIENCE);
  await tab.locator("main.studio").waitFor({ ...PATIENCE, state: "hidden" });
};
/** It has begun nothing, and says what it would take. */
const asks = async (tab: Page) => {
  await tab.getByText("This link begins a large run").waitFor(PATIENCE);
  await tab.getByText(/of memory, and about .* a step, about .* for its/).waitFor(PATIENCE);
  await tab.getByRole("button", { name: "Run it", exact: true }).waitFor(PATIENCE);
};

const IN_CHROMIUM: readonly Try[] = [
  inChromium("malformed percent encoding", () => "%E0%A4%A", gallery),
  inChromium("a link that inflates to 300 MB", () => linkOf(Buffer.alloc(300e6)), gallery),
  inChromium("a link that inflates to 60 MB", () => linkOf(Buffer.alloc(60e6)), gallery),
  inChromium("256³ cells aren't begun unasked", () => jsonLink({ text: DECK(256, 3e7), entries: {}, view }), asks),
  inChromium(
    "nor by an entry",
    () => jsonLink({ text: DECK(16, 100), entries: { "particles.0.count": 4e7 }, view }),
    asks,
  ),
  inChromium(
    "a title that is a tag",
    () => jsonLink({ text: DECK(16, 100).replace("A link's", HOSTILE), entries: {}, view }),
    (tab) => tab.getByRole("heading", { name: HOSTILE }).waitFor(PATIENCE),
  ),
  inChromium(
    "a deck that isn't there",
    () => "constructor",
    (tab) => tab.getByText("a deck that this page doesn't have: constructor").waitFor(PATIENCE),
  ),
];

export const linkTries: readonly Try[] = [
  ...Object.entries(NOT_LINKS).map(([name, fragment]) => refused(name, () => fragment)),
  ...Object.entries(CONTENTS).map(([name, make]) => refused(name, make)),
  polluting("__proto__ among the entries", `{"name":"a","entries":{"__proto__":{"polluted":1}},"view":${VIEW}}`),
  polluting("__proto__ of the whole", `{"__proto__":{"polluted":1},"name":"a","entries":{},"view":${VIEW}}`),
  large,
  ...(process.env.GRAVMESH_NO_BROWSER === "1" ? [] : IN_CHROMIUM),
];
