/** Decks at the ends of what can be run: numbers that float32 doesn't hold, levels outside the box, particles at one place. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { smallDeck, useFolder } from "../support/decks.ts";
import { runOnCpu } from "../support/result-folder.ts";

const work = useFolder("deck-limits");
const PLUMMER = '[[particles]]\nkind = "plummer"\nname = "stars"\ncount = 40\ncutoff = 3';
const FLOAT32 = /Kernels compute in float32: numbers go from 1e-18 to 1e18\. Use other units/;

describe("a deck", () => {
  it.each([
    ...["mond.externalField=[3e19,0,0]", "mond.a0=1e-40", "box.size=1e30", "time.step=1e-300", "direct.softening=1e20"],
    ...["particles.stars.mass=1e39", "particles.stars.velocity=[0,-1e300,0]", "particles.stars.offset=[0,0,2e18]"],
    ...["particles.stars.scale=5e-324"],
  ])("refuses %s, which kernels don't hold", (override) => {
    const parsed = () =>
      parseScenario(smallDeck(`mond.formulation = "qumond"\nmond.a0 = 1\n${PLUMMER}`), { overrides: [override] });
    expect(parsed).toThrow(FLOAT32);
  });

  it("takes what float32 makes zero where zero may be", () => {
    const overrides = ["direct.softening=1e-40", "particles.stars.velocity=[1e-40,0,-3e-300]"];
    expect(() => parseScenario(smallDeck(PLUMMER), { overrides })).not.toThrow();
  });

  it("takes a table in braces for its keys", () => {
    const read = (...overrides: string[]) => parseScenario(smallDeck(PLUMMER), { overrides });
    const { box, particles } = read('box={size=10, boundary="periodic"}', "particles.stars = { mass = 2, seed = 5 }");
    expect(box).toEqual({ size: 10, boundary: "periodic" });
    expect(particles[0]).toMatchObject({ count: 40, mass: 2, seed: 5 });
    expect(() => read("box={sise=10}")).toThrow("override box={sise=10}: unknown key box.sise: did you mean box.size?");
    expect(() => read("box={__proto__={size=1}}")).toThrow(/unknown key box\.__proto__\.size/);
  });

  it.each(["[100, 0, 0]", "[0, -8.5, 0]"])("refuses a level at %s, outside the box", (offset) => {
    const deck = smallDeck(`${PLUMMER}\n[[level]]\noffset = ${offset}\ncells = 32`);
    expect(() => parseScenario(deck)).toThrow(
      /level\[0\]\.offset: expected three numbers from −box\.size\/2 .* = 8, .*found/,
    );
  });
});

describe.each(["mesh", "direct"])("gravity = %s", (gravity) => {
  it.each([
    ["one particle", [[8, 8, 8]]],
    ["one particle off the centre", [[10, 7, 8]]],
    [
      "particles at one place",
      [
        [8, 8, 8],
        [8, 8, 8],
        [8, 8, 8],
      ],
    ],
  ])("runs %s in an isolated box", async (name, places) => {
    const file = `${gravity}-${name}.csv`;
    const rows = places.map((place) => [1, ...place, 0, 0, 0].join(","));
    writeFileSync(join(work, file), ["m,x,y,z,vx,vy,vz", ...rows].join("\n"));
    const top = gravity === "direct" ? 'gravity = "direct"' : "";
    const text = smallDeck(`[[particles]]\nkind = "snapshot"\nfile = "${file}"\n[output]\nsnapshots = 1`, {
      top,
      end: 0.1,
    });
    writeFileSync(join(work, `${file}.toml`), gravity === "direct" ? text.replace("mesh.cells = 16\n", "") : text);
    const out = join(work, `${file}-out`);
    expect(await runOnCpu({ scenario: join(work, `${file}.toml`), out })).toBe(0);
    expect(readFileSync(join(out, "diagnostics.csv"), "utf8")).not.toMatch(/nan|inf/i);
    const { positions } = await readSnapshot(join(out, "snapshot_001.hdf5"));
    for (const [i, x] of positions.entries()) expect(x).toBeCloseTo(places.flat()[i], 6);
  });
});
