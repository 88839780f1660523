/** What the live page's panels work out by themselves: where a cursor is in a deck, what may stand there, sliders' places. */
import { describe, expect, it } from "vitest";
import { contextAt, keyAt, offersAt, tablesInText } from "../../src/doors/site/panels/completion.ts";
import { isLogarithmic, PLACES, placeOf, valueAt, widened } from "../../src/doors/site/panels/slider-scale.ts";
import type { DeckTable } from "../../src/doors/site/stage.ts";

const DECK = `title = "A [disk] # not a comment"   # but this is

[mesh]
cells = 64
poisson = "fft"  # fft | multigrid

[[particles]]
kind = "plummer"
times = [
  1.0, # a list of
  [2.0],
]
mass = 1.0

[[particles]]
name = "other"

[time]
end = 1
`;

/** The deck with the cursor where | is. */
function at(text: string) {
  return [text.replace("|", ""), text.indexOf("|")] as const;
}

const KIND = { kind: "text", required: true } as const;
const VOCABULARY: DeckTable[] = [
  { name: "", array: false, meaning: "the run", keys: [{ key: "title", meaning: "its name", ...KIND }] },
  {
    ...{ name: "mesh", array: false, meaning: "the mesh" },
    keys: [
      { key: "cells", meaning: "cells per side", kind: "integer", required: true },
      {
        ...{ key: "poisson", meaning: "the solver", values: ["fft", "multigrid"], default: '"fft"' },
        ...{ kind: "text", required: false },
      },
      { key: "exact", meaning: "float64", default: "false", kind: "boolean", required: false },
    ],
  },
  ...["plummer", "hernquist"].map((kind) => ({
    ...{ name: "particles", array: true, kind, meaning: `a sphere of ${kind}` },
    keys: [
      { key: "mass", meaning: "of all", unit: "mass", kind: "number", required: true } as const,
      { key: kind === "plummer" ? "core" : "scale", meaning: "its size", unit: "length", ...KIND } as const,
    ],
  })),
];

const labels = (text: string) => offersAt(...at(text), VOCABULARY)?.offers.map(({ label }) => label);

/** The text with the first offer of that label taken, the cursor's place lost. */
function taken(text: string, label: string): string {
  const [deck, position] = at(text);
  const { from, to, offers } = offersAt(deck, position, VOCABULARY)!;
  return deck.slice(0, from) + offers.find((offer) => offer.label === label)!.apply + deck.slice(to);
}

describe("where a cursor is in a deck", () => {
  it("knows the tables, their kinds and keys", () => {
    expect(tablesInText(DECK).map(({ name, array, kind, keys }) => ({ name, array, kind, keys }))).toEqual([
      { name: "", array: false, kind: undefined, keys: ["title"] },
      { name: "mesh", array: false, kind: undefined, keys: ["cells", "poisson"] },
      { name: "particles", array: true, kind: "plummer", keys: ["kind", "times", "mass"] },
      { name: "particles", array: true, kind: undefined, keys: ["name"] },
      { name: "time", array: false, kind: undefined, keys: ["end"] },
    ]);
  });

  it.each([
    ["[me|", { part: "header", written: "[me" }],
    ["[mesh]\ncel|", { part: "key", written: "cel" }],
    ["[mesh]\n  |\n[time]", { part: "key", written: "" }],
    ['[mesh]\npoisson = "f|"', { part: "value", key: "poisson", written: '"f' }],
    ["[mesh]\npoisson =|", { part: "value", key: "poisson", written: "" }],
    ["ti|", { part: "key", written: "ti" }],
  ])("tells the part: %s", (text, expected) => {
    expect(contextAt(...at(text))).toMatchObject(expected);
  });

  it("knows nothing to say in comments, lists and texts of several lines", () => {
    expect(contextAt(...at("[mesh]\n# ce|"))).toBeUndefined();
    expect(contextAt(...at("[mesh]\ncells = 6 # ce|"))).toBeUndefined();
    expect(contextAt(...at("a = [\n 1,|\n]"))).toBeUndefined();
    expect(contextAt(...at('expect = """\nmesh|\n"""'))).toBeUndefined();
  });

  it("finds the next table although a list above isn't closed", () => {
    expect(contextAt(...at("[output]\ntimes = [1,\n[mesh]\nce|"))?.table.name).toBe("mesh");
    expect(contextAt(...at("[output]\ntitle = 'x\n[mesh]\nce|"))?.table.name).toBe("mesh");
  });
});

describe("what may stand there", () => {
  it("offers the keys that a table lacks, what is required first", () => {
    expect(labels("[mesh]\n|")?.slice(0, 3)).toEqual(["cells", "poisson", "exact"]);
    expect(labels("[mesh]\ncells = 3\np|")).toEqual(["poisson", "exact"]);
    expect(taken("[mesh]\nce|", "cells")).toBe("[mesh]\ncells = ");
    expect(taken("[mesh]\nce|lls = 64", "cells")).toBe("[mesh]\ncells = 64");
  });

  it("offers words in quotes, whether a quote is there or not", () => {
    expect(labels("[mesh]\npoisson = |")).toEqual(['"fft"', '"multigrid"']);
    expect(taken('[mesh]\npoisson = "m|"', '"multigrid"')).toBe('[mesh]\npoisson = "multigrid"');
    expect(taken("[mesh]\npoisson = |", '"fft"')).toBe('[mesh]\npoisson = "fft"');
    expect(labels("[mesh]\nexact = |")).toEqual(["true", "false"]);
    expect(labels("[mesh]\nunknown = |")).toBeUndefined();
  });

  it("offers kinds, and the keys of a kind", () => {
    expect(labels("[[particles]]\nkind = |")).toEqual(['"plummer"', '"hernquist"']);
    expect(labels('[[particles]]\nkind = "hernquist"\ns|')).toEqual(["mass", "scale"]);
    expect(labels("[[particles]]\nx|")).toEqual(["kind", "mass"]);
  });

  it("offers tables that aren't there, arrays again", () => {
    expect(labels("[mesh]\n[[particles]]\n[|")).toEqual(["[[particles]] plummer", "[[particles]] hernquist"]);
    expect(taken("[[par|]]\n", "[[particles]] plummer")).toBe('[[particles]]\nkind = "plummer"\n\n');
    expect(taken("[m|]", "[mesh]")).toBe("[mesh]\n");
  });

  it("says what a key is", () => {
    expect(keyAt(...at("[mesh]\nce|lls = 64"), VOCABULARY)?.meaning).toBe("cells per side");
    expect(keyAt(...at("[mesh]\ncells = 6|4"), VOCABULARY)).toBeUndefined();
    const core = offersAt(...at('[[particles]]\nkind = "plummer"\n|'), VOCABULARY)?.offers.find(
      (o) => o.label === "core",
    );
    expect(core?.detail).toBe("[length] required");
  });
});

describe("sliders", () => {
  const range = (least: number, most: number, integer = false) => ({ least, most, integer });

  it("are logarithmic over decades", () => {
    expect([range(0.01, 1), range(1, 1000)].map(isLogarithmic)).toEqual([true, true]);
    expect([range(0, 1000), range(0.5, 2), range(-1, 100)].map(isLogarithmic)).toEqual([false, false, false]);
    expect(valueAt(range(1, 10000), PLACES / 2)).toBe(100);
    expect(placeOf(range(1, 10000), 10)).toBe(PLACES / 4);
  });

  it.each([range(0, 2), range(0.001, 10), range(1000, 1_000_000, true), range(-3, 3)])(
    "keep their value: %j",
    (some) => {
      for (let place = 0; place <= PLACES; place += 50) {
        const value = valueAt(some, place);
        expect(value).toBeGreaterThanOrEqual(some.least);
        expect(value).toBeLessThanOrEqual(some.most);
        expect(Math.abs(placeOf(some, value) - place)).toBeLessThanOrEqual(2);
        expect(String(value).length).toBeLessThan(8);
        if (some.integer) expect(value).toBe(Math.round(value));
      }
      expect([valueAt(some, 0), valueAt(some, PLACES)]).toEqual([some.least, some.most]);
    },
  );

  it("end where the range ends, and widen for what lies beyond", () => {
    expect([placeOf(range(1, 2), 5), placeOf(range(1, 2), 0), placeOf(range(1, 1), 1)]).toEqual([PLACES, 0, 0]);
    expect(widened(range(1, 2), 5)).toEqual(range(1, 5));
  });
});
