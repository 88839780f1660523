/** The deck that is edited in the live page: what is set over it belongs to its text, and goes with it. */
import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { BundledDeck } from "../../src/doors/site/decks.ts";
import { dropSetAside, editDraft, gentlerEntries, replaceDraft } from "../../src/doors/site/draft.ts";
import { shared, unpackLink, packLink as withMark } from "../../src/doors/site/link.ts";
import { entriesOf, Overrides, overrideList, ownValue, tablesIn } from "../../src/doors/site/overrides.ts";
import type { Source } from "../../src/doors/site/stage.ts";
import { wholeBox } from "../../src/studio/view/view.ts";

const PLUMMER = `[mesh]\ncells = 128\n[[particles]]\nkind = "plummer"\ncount = 100000\nscale = 1.0\n[time]\nstep = 0.02\n`;
const SMALL = PLUMMER.replace("count = 100000", "count = 8000");
const HERNQUIST = `[mesh]\ncells = 32\n[[particles]]\nkind = "hernquist"\ncount = 500\n[time]\nstep = 0.1\n`;
const GENTLE = { "particles.plummer.count": 60_000 };
const SLID = { ...GENTLE, "time.step": 0.01 };
const bundled = { name: "plummer", gentle: GENTLE, small: { "mesh.cells": 32 } } as unknown as BundledDeck;

/** A page that shows the gallery's deck. */
function opened(text = PLUMMER, entries: Record<string, number> = GENTLE) {
  const deck = signal("");
  const draft = {
    deck,
    overrides: new Overrides(deck),
    comparing: signal(false),
    view: signal(wholeBox(1)),
    sources: { a: signal<Source | undefined>(undefined), b: signal<Source | undefined>(undefined) },
    page: {
      bundled: signal<BundledDeck | undefined>(bundled),
      editedFrom: signal<BundledDeck | undefined>(undefined),
      bundledText: signal(PLUMMER),
      replaced: new Map(),
      said: signal(""),
    },
  };
  replaceDraft(draft, text, entries, bundled);
  const run = () => {
    dropSetAside(draft);
    draft.sources.a.value = { kind: "deck", text: deck.value, overrides: overrideList(draft.overrides.value) };
  };
  run();
  const link = () => shared(draft as unknown as Parameters<typeof shared>[0])!;
  return { draft, deck, overrides: draft.overrides, page: draft.page, run, link };
}

describe("what a deck writes at a path", () => {
  it.each([
    ["mesh.cells", "128"],
    ["mesh.assignment", "default"],
    ["output.snapshots", "default"],
    ["particles.plummer.count", "100000"],
    ["particles.0.kind", '"plummer"'],
    ["particles[0].count", "100000"],
    ['particles."plummer".softening', "default"],
    ["particles.halo.count", undefined],
    ["particles.1.count", undefined],
    ["potential.disk.mass", undefined],
  ])("%s: %s", (path, own) => {
    expect(ownValue(tablesIn(PLUMMER), path)).toBe(own);
  });
});

describe("overrides", () => {
  it("read back as they are written", () => {
    const entries = { "mesh.cells": 64, "mesh.assignment": "tsc", title: "a = b" };
    expect(entriesOf(overrideList(entries))).toEqual(entries);
    expect(entriesOf(["time.step=1", "time.step=2"])).toEqual({ "time.step": 2 });
  });

  it("stay while other lines are edited, also while a line is none", () => {
    const { draft, overrides, deck } = opened(PLUMMER, SLID);
    for (const scale of ["scale = ", "scale = 2", "scale = 2.5"]) {
      editDraft(draft, PLUMMER.replace("scale = 1.0", scale), false);
      expect(overrides.value).toEqual(SLID);
    }
    expect(deck.value).toContain("scale = 2.5");
  });

  it("give way to a number that is written in their place, and come back with an undo", () => {
    const { draft, overrides, run } = opened(PLUMMER, SLID);
    editDraft(draft, SMALL, false);
    expect(overrides.value).toEqual({ "time.step": 0.01 });
    expect(overrides.aside).toEqual(GENTLE);
    editDraft(draft, PLUMMER, false);
    expect(overrides.value).toEqual(SLID);
    // What was run is settled: the deck's own number counts from then on.
    editDraft(draft, SMALL, false);
    run();
    editDraft(draft, PLUMMER, false);
    expect(overrides.value).toEqual({ "time.step": 0.01 });
    expect(overrides.aside).toEqual({});
  });

  it("go with a component that isn't there any more, and take nothing with them", () => {
    const { draft, overrides } = opened(PLUMMER, SLID);
    editDraft(draft, PLUMMER.replace("plummer", "hernquist"), false);
    expect(overrides.value).toEqual({ "time.step": 0.01 });
    overrides.value = { ...overrides.value, "particles.hernquist.count": 5 };
    expect(overrides.value).toEqual({ "time.step": 0.01, "particles.hernquist.count": 5 });
    expect(overrides.aside).toEqual({});
  });

  it("of a deck that is pasted over are none, although it has the same entries", () => {
    const { draft, overrides, page, run } = opened(PLUMMER, SLID);
    const other = PLUMMER.replace("scale = 1.0", "scale = 3.0");
    editDraft(draft, other, true);
    expect(overrides.value).toEqual({});
    expect(page.said.value).toBe(
      "Another deck: what was set for the one before is left out (particles.plummer.count, time.step)",
    );
    // The picture is still that of the gallery's deck, until it is run.
    expect(page.bundled.value).toBe(bundled);
    editDraft(draft, PLUMMER, true);
    expect([overrides.value, page.editedFrom.value]).toEqual([SLID, bundled]);
    editDraft(draft, other, true);
    expect(overrides.value).toEqual({});
    run();
    expect(page.bundled.value).toBeUndefined();
  });

  it("tell those of the page from the reader's own", () => {
    const list = overrideList({ "particles.plummer.count": 60_000, "time.step": 0.01 });
    expect(gentlerEntries(list, bundled)).toEqual(GENTLE);
    expect(gentlerEntries(["particles.plummer.count=20000"], bundled)).toEqual({});
    expect(gentlerEntries(list, undefined)).toEqual({});
  });
});

describe("a link", () => {
  it("holds what is shown, and besides what is edited and not run", async () => {
    const { draft, run, link } = opened();
    const view = wholeBox(1);
    expect(link()).toEqual({ name: "plummer", entries: GENTLE, view });
    editDraft(draft, HERNQUIST, true);
    const pasted = { name: "plummer", entries: GENTLE, edited: { text: HERNQUIST, entries: {} }, view };
    expect(link()).toEqual(pasted);
    expect(await unpackLink(await withMark(pasted))).toEqual(pasted);
    run();
    expect(link()).toEqual({ text: HERNQUIST, entries: {}, view });
    draft.overrides.value = { "time.step": 0.05 };
    expect(link()).toEqual({ text: HERNQUIST, entries: {}, edited: { entries: { "time.step": 0.05 } }, view });
  });

  it("holds a variant with a text of its own, and the deck that an edited one began as", async () => {
    const { draft, run, link } = opened(PLUMMER, SLID);
    const text = PLUMMER.replace("scale = 1.0", "scale = 2.0");
    editDraft(draft, text, false);
    run();
    draft.comparing.value = true;
    draft.sources.b.value = { kind: "deck", text: HERNQUIST, overrides: ["time.step=0.2"] };
    const state = { text, from: "plummer", entries: SLID, beside: ["time.step=0.2"], besideText: HERNQUIST };
    expect(link()).toEqual({ ...state, view: wholeBox(1) });
    for (const wrong of [{ from: 3 }, { besideText: [] }, { edited: { text: 1, entries: {} } }, { edited: {} }]) {
      expect(await unpackLink(await withMark({ ...link(), ...wrong } as never))).toBeUndefined();
    }
  });
});
