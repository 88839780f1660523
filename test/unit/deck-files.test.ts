/** Files that a deck names, on their way into a run: every instrument reads them, and another code's lattice is told of. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spectrumTable } from "../../src/physics/cosmology/table.ts";
import { latticeRemark } from "../../src/run/health.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import type { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { validate } from "../../src/study/validate/validate.ts";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-deck-files-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const cosmic = (particles: object, cosmology: object = {}) => ({
  title: "box",
  units: { system: "cosmological" },
  box: { size: 100, boundary: "periodic" },
  mesh: { cells: 16, assignment: "cic" },
  cosmology,
  particles: [particles],
  time: { clock: "comoving", start: 0.02, end: 0.04, step: 0.01 },
});

describe("a table of the power spectrum", () => {
  it("is found by gravmesh validate", async () => {
    const rows = Array.from({ length: 140 }, (_, i) => 10 ** (-4 + 0.05 * i)).map((k) => `${k} ${k / (1 + k ** 4)}`);
    writeFileSync(join(dir, "pk.dat"), `# k/h P\n${rows.join("\n")}\n`);
    const deck = `title = "box"
[units]
system = "cosmological"
[box]
size = 100.0
boundary = "periodic"
[mesh]
cells = 16
[cosmology]
transfer = "file"
file = "pk.dat"
[[particles]]
kind = "lattice"
perSide = 16
[time]
clock = "comoving"
start = 0.02
end = 0.04
step = 0.01
`;
    writeFileSync(join(dir, "box.toml"), deck);
    const request = {
      ...{ scenario: join(dir, "box.toml"), overrides: [], backend: "cpu" as const, out: join(dir, "out") },
      ...{ budget: 0.1, targets: 2, evolve: false },
    };
    const stop = new AbortController();
    const notes: string[] = [];
    // What it measures is another test's business.
    const watch = (event: { event: string; message?: string }) => {
      if (event.event === "note") notes.push(event.message!);
      if (event.event === "start") stop.abort();
    };
    await expect(validate(request, watch, stop.signal)).resolves.toBeTypeOf("number");
    expect(notes).toContainEqual(
      expect.stringMatching(/pk\.dat: k\/h as k .* 140 rows, .* changed to cosmology\.sigma8/),
    );
  });

  it("that is none is refused in a line of a few words, however long its own are", () => {
    const numbers = Array(100_000).fill("1").join(" ");
    const titles = Array.from({ length: 10_000 }, (_, i) => `${i + 1}:x${i}`).join(" ");
    for (const text of [
      `${numbers}\n`.repeat(5),
      `# k/h P\n${`${numbers}\n`.repeat(5)}`,
      `# 1:k (h/Mpc) ${titles}\n${"1 2\n".repeat(5)}`,
    ]) {
      expect(() => spectrumTable(text, "pk.dat")).toThrow(/^pk\.dat: [^\n]{10,900}$/);
    }
  });
});

describe("particles of another code's lattice", () => {
  const perSide = 16;
  /** A run whose particles are at the points (i + place) Δ. */
  const begun = (place: number, particles: object = { kind: "snapshot", name: "dm", file: "x.hdf5" }) => {
    const positions = Float64Array.from({ length: 3 * perSide ** 3 }, (_, k) => {
      const i = Math.floor(k / 3);
      const cell = [i % perSide, Math.floor(i / perSide) % perSide, Math.floor(i / perSide ** 2)][k % 3];
      return ((cell + place) * 100) / perSide;
    });
    const scenario = completeScenario(cosmic(particles) as unknown as Deck);
    return { scenario, readParticles: async () => ({ positions }) } as unknown as Simulation;
  };

  it("are told of with the offset that brings them to ours", async () => {
    expect(await latticeRemark(begun(0.25))).toMatch(
      /lattice whose points lie \[0\.25, 0\.25, 0\.25\] cells from .*P\(k\) by up to 8 %.*set offset = \[1\.5625, 1\.5625, 1\.5625\] in \[\[particles\]\] dm/,
    );
    expect(await latticeRemark(begun(0.5))).toBeUndefined();
    expect(await latticeRemark(begun(0.25, { kind: "lattice", perSide: 16 }))).toBeUndefined();
  });
});
