/** Decks as objects: what the compiler refuses, which `npm run types` checks here, and what is refused as it runs. */
import { describe, expect, it } from "vitest";
import {
  deckKeys,
  externalPotential,
  initialModel,
  type SphericalShape,
  spherical,
  sphericalModel,
} from "../../src/index.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";

const shared = {
  title: "typed",
  box: { size: 8, boundary: "isolated" },
  mesh: { cells: 32 },
  time: { end: 1, step: 0.1 },
} as const;
const sphere = { kind: "plummer", count: 10, mass: 1, scale: 1 } as const;

describe("a deck as an object", () => {
  it("has the defaults of a written one, whatever is left out", () => {
    const { particles, potential, output, mesh } = completeScenario({
      ...shared,
      particles: [sphere, { kind: "snapshot", file: "a.hdf5", offset: [1, 0, 0] }],
      potential: [{ kind: "hernquist", mass: 2, scale: 1 }],
    });
    expect([particles[0].name, particles[1].offset, potential[0].kind, output.snapshots, mesh.gradient]).toEqual([
      ...["plummer", [1, 0, 0], "hernquist", 10, "4-point"],
    ]);
  });

  it("may be a constant, and of a kind that the program adds", () => {
    const constant = { ...shared, particles: [{ ...sphere, offset: [0, 0, 1] }] } as const satisfies Deck;
    expect(completeScenario(constant).particles[0].offset).toEqual([0, 0, 1]);
    const ring = initialModel({
      ...{ name: "ring", meaning: "Ring", species: "disk" },
      keys: { radius: deckKeys.required(deckKeys.positive, { unit: "length", meaning: "of the ring" }) },
      particles: () => () => {},
    });
    const deck: Deck<typeof ring> = { ...shared, particles: [{ kind: "ring", radius: 2 }] };
    // It isn't registered here.
    expect(() => completeScenario<typeof ring>(deck)).toThrow(/kind.*found "ring"/);
    // @ts-expect-error radius is required
    expect(() => completeScenario<typeof ring>({ ...shared, particles: [{ kind: "ring" }] })).toThrow(/kind/);
  });

  it("may have spheres and potentials that the program adds", () => {
    const shape = {} as unknown as SphericalShape;
    const jaffe = sphericalModel({ name: "jaffe", meaning: "Jaffe", species: "bulge", shape: () => shape });
    const well = externalPotential({
      ...{ name: "well", meaning: "Well", turns: true, kernel: { path: "well.wgsl", text: "" } },
      keys: { depth: deckKeys.required(deckKeys.positive, { meaning: "of it" }) },
      formula: spherical({ potential: () => 0, strength: () => [0, 0, 0] }),
    });
    type Own = typeof jaffe | typeof well;
    const deck: Deck<Own> = {
      ...{ ...shared, particles: [sphere, { kind: "jaffe", count: 8, mass: 1, scale: 1, cutoff: 3 }] },
      potential: [
        { kind: "well", depth: 3, patternSpeed: 1 },
        { kind: "hernquist", mass: 1, scale: 1 },
      ],
    };
    expect(() => completeScenario<Own>(deck)).toThrow(/kind/);
    const refused = (make: () => Deck<Own>) => expect(() => completeScenario<Own>(make())).toThrow(/kind|well/);
    // @ts-expect-error a potential without its depth
    refused(() => ({ ...deck, potential: [{ kind: "well" }] }));
    // @ts-expect-error a potential is no component
    refused(() => ({ ...deck, particles: [{ kind: "well", depth: 3 }] }));
    // @ts-expect-error a sphere without its scale
    refused(() => ({ ...deck, particles: [{ kind: "jaffe", count: 8, mass: 1, cutoff: 3 }] }));
    // @ts-expect-error without the records no kind of theirs
    const none: Deck = deck;
    expect(none).toBe(deck);
  });

  it("with a wrong word, key or number doesn't compile", () => {
    const refused = (deck: () => unknown, message: RegExp) => expect(deck).toThrow(message);
    // @ts-expect-error no such kind
    refused(() => completeScenario({ ...shared, particles: [{ ...sphere, kind: "plumer" }] }), /plumer/);
    // @ts-expect-error a key of another kind
    refused(() => completeScenario({ ...shared, particles: [{ ...sphere, toomreQ: 1 }] }), /toomreQ/);
    // @ts-expect-error the scale has no default
    refused(() => completeScenario({ ...shared, particles: [{ kind: "hernquist", count: 1, mass: 1 }] }), /scale/);
    // @ts-expect-error a text in the place of a number
    refused(() => completeScenario({ ...shared, particles: [{ ...sphere, count: "10" }] }), /count/);
    // @ts-expect-error no such boundary
    refused(() => completeScenario({ ...shared, box: { size: 1, boundary: "open" }, particles: [sphere] }), /open/);
    // @ts-expect-error no such table
    refused(() => completeScenario({ ...shared, meesh: { cells: 32 }, particles: [sphere] }), /meesh/);
    // @ts-expect-error no such key in a table
    refused(() => completeScenario({ ...shared, mesh: { cell: 32 }, particles: [sphere] }), /cell/);
    // @ts-expect-error no end
    refused(() => completeScenario({ ...shared, time: { step: 1 }, particles: [sphere] }), /end/);
    // @ts-expect-error no title
    refused(() => completeScenario({ ...shared, title: undefined, particles: [sphere] }), /title/);
    // @ts-expect-error nothing at all
    refused(() => completeScenario({}), /title/);
    const potential = { kind: "plummer", mass: 1 } as const;
    // @ts-expect-error a potential without its scale
    refused(() => completeScenario({ ...shared, particles: [sphere], potential: [potential] }), /scale/);
  });
});
