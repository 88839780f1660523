/** Which overrides make another run of a deck, so that what it expects is no longer told. */
import { describe, expect, it } from "vitest";
import { deckText } from "../../src/scenario/deck.ts";
import { expectationOf } from "../../src/scenario/expectation.ts";
import { parseScenario } from "../../src/scenario/parse.ts";

const DECK = `
title = "Pair"
expect = "They meet."
[box]
size = 40
[mesh]
cells = 32
[[galaxy]]
name = "one"
[[galaxy]]
name = "two"
orbit = { of = "one", pericentre = 1, eccentricity = 1, separation = 5 }
[[particles]]
kind = "plummer"
galaxy = "one"
count = 100
[[particles]]
kind = "plummer"
name = "second"
galaxy = "two"
count = 100
[time]
end = 2
step = 0.1
`;
const scenario = (...overrides: string[]) => parseScenario(DECK, { overrides });
const TOLD = "The deck's own expectation: They meet.";

describe("what a deck expects", () => {
  it.each([
    [],
    ["seed=2"],
    ["particles.second.seed=7"],
    ["title=Other", "reference=A paper"],
    ["output.snapshots=3", "maps.width=64", "time.maxEnergyError=inf", "output.diagnostics=4"],
    ["mesh.cells=32", "particles.0.count=100"],
    // The default that there is anyway.
    ["gravity=mesh", "time.courant=0.5"],
    ["time.end=3"],
  ])("is told with %s %s %s %s", (...overrides) => {
    const found = scenario(...overrides);
    expect(found.changed).toEqual([]);
    expect(expectationOf(found, found.time.end)).toBe(TOLD);
  });

  it.each([
    ["particles.second.count=50", "particles[1].count"],
    ["mesh.cells=64", "mesh.cells"],
    ["gravity=direct", "gravity"],
    ["time.end=1", "time.end"],
    ["time.step=0.05", "time.step"],
    ["box.size=50", "box.size"],
    ["galaxy.two.orbit.pericentre=2", "galaxy[1].orbit.pericentre"],
  ])("isn't told with %s, in the deck as run neither", (override, key) => {
    const found = scenario(override);
    expect(found.changed).toEqual([key]);
    expect(expectationOf(found, found.time.end)).toBe("");
    const again = parseScenario(deckText(found), { overrides: ["output.snapshots=3"] });
    expect(again.changed).toEqual([key]);
  });

  it("is the user's own when it is overridden", () => {
    const found = scenario("mesh.cells=64", "expect=Less of a meeting.");
    expect(expectationOf(found, 2)).toBe("The deck's own expectation: Less of a meeting.");
  });

  it("isn't told of a run that ends early, and is of one that was continued past the deck's end", () => {
    expect(expectationOf(scenario(), 1.99)).toBe("");
    expect(expectationOf(scenario("time.continued=[2]", "time.end=4"), 3)).toBe(TOLD);
  });

  it("knows a deck that is none without its overrides for another one", () => {
    const text = DECK.replace("cells = 32", "cells = 33");
    expect(parseScenario(text, { overrides: ["mesh.cells=32"] }).changed).toEqual(["mesh.cells"]);
  });
});
