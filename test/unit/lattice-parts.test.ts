/** Baryons and cold matter as two lattices of one field, from a table's two columns: modes at the start, momenta, messages. */
import { describe, expect, it } from "vitest";
import { displacementsInFloat64 } from "../../src/engine/reference/lpt/displacements.ts";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { Background } from "../../src/physics/cosmology/background.ts";
import { Growth } from "../../src/physics/cosmology/growth.ts";
import { cosmologyDefaults } from "../../src/physics/cosmology/settings.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { divergenceModes, placeOf } from "../support/displacement.ts";

const [BOX, N, START] = [300, 16, 0.02];
const UNIT = (2 * Math.PI) / BOX;
const SHARE = 0.05 / 0.3;
const coldOf = (k: number) => k ** 2 / (1 + (k / 0.05) ** 2);
const baryonsOf = (k: number, less = 0.25) => coldOf(k) * (1 - less / (1 + (0.03 / k) ** 2));

const tableAt = (z: string, less = 0.25, titles = "1:k (h/Mpc) 2:d_b 3:d_cdm") =>
  [`# transfer functions ${z}`, `# ${titles}`]
    .concat(
      Array.from({ length: 200 }, (_, i) => 1e-4 * 1.05 ** i).map((k) => `${k} ${-baryonsOf(k, less)} ${-coldOf(k)}`),
    )
    .join("\n");

const deckOf = (particles: object[], more: object = {}) =>
  completeScenario({
    title: "parts",
    units: { system: "cosmological" },
    box: { size: BOX, boundary: "periodic" },
    mesh: { cells: 2 * N, assignment: "tsc" },
    cosmology: { transfer: "file", file: "tk.dat", sigma8: 0.001 },
    particles: particles.map((one) => ({ kind: "lattice", perSide: N, fixedAmplitudes: true, ...one })),
    spectra: { cross: true },
    time: { clock: "comoving", start: START, end: 1, step: 0.02 },
    output: { snapshots: 0, diagnostics: 1 },
    ...more,
  });
const PARTS = [
  { matter: "cold", name: "cold" },
  { matter: "baryons", name: "baryons" },
];

async function made(text: string) {
  const { particles } = await initialConditions(deckOf(PARTS), {
    G: unitSystem("cosmological").G,
    displacements: displacementsInFloat64,
    loadText: async () => text,
  });
  return particles;
}

/** Density modes of each component's displacements, and of its momenta. */
function modesOf(positions: ArrayLike<number>, velocities: ArrayLike<number>) {
  const lattice = (i: number) => (((Math.floor(i / 3 / N ** (i % 3)) % N) + 0.5) * BOX) / N;
  return [0, 1].map((component) => {
    const first = 3 * N ** 3 * component;
    const moved = Float64Array.from({ length: 3 * N ** 3 }, (_, i) => positions[first + i] - lattice(i));
    for (const [i, x] of moved.entries()) moved[i] = x - BOX * Math.round(x / BOX);
    const momenta = Float64Array.from({ length: 3 * N ** 3 }, (_, i) => velocities[first + i]);
    return { density: divergenceModes(moved, N), momentum: divergenceModes(momenta, N) };
  });
}
const size = (modes: Float64Array, m: readonly number[]) => Math.hypot(modes[placeOf(N, m)], modes[placeOf(N, m) + 1]);
const WAVES = [
  [1, 0, 0],
  [0, 2, -1],
  [3, 1, 2],
  [4, 4, 0],
  [6, -5, 3],
] as const;

describe("baryons and cold matter", () => {
  it("have the table's ratio at its own redshift, mode by mode, and momenta in common", async () => {
    const { positions, velocities, masses } = await made(tableAt("at redshift z=49"));
    expect(masses[N ** 3] / (masses[0] + masses[N ** 3])).toBeCloseTo(SHARE, 12);
    const [cold, baryons] = modesOf(positions, velocities);
    const growth = new Growth(new Background(cosmologyDefaults));
    const rate = growth.momentum1(START) / growth.D1(START);
    for (const m of WAVES) {
      const k = UNIT * Math.hypot(...m);
      const ratio = size(baryons.density, m) / size(cold.density, m);
      expect(Math.abs(ratio / (baryonsOf(k) / coldOf(k)) - 1)).toBeLessThan(2e-3);
      const all = (1 - SHARE) * size(cold.density, m) + SHARE * size(baryons.density, m);
      for (const { momentum } of [cold, baryons])
        expect(Math.abs(size(momentum, m) / (rate * all) - 1)).toBeLessThan(2e-3);
    }
  });

  it("keep the difference of a table of today", async () => {
    const { positions, velocities } = await made(tableAt("z = 0", 0.006));
    const [cold, baryons] = modesOf(positions, velocities);
    const growth = new Growth(new Background(cosmologyDefaults));
    for (const m of WAVES) {
      const k = UNIT * Math.hypot(...m);
      const [b, c] = [baryonsOf(k, 0.006), coldOf(k)];
      const excess = ((b - c) / (SHARE * b + (1 - SHARE) * c)) * (growth.D1(1) / growth.D1(START));
      const expected = (1 + (1 - SHARE) * excess) / (1 - SHARE * excess);
      expect(Math.abs(size(baryons.density, m) / size(cold.density, m) / expected - 1)).toBeLessThan(2e-3);
    }
  });

  it("say what a table lacks, and what a deck does", async () => {
    await expect(made(tableAt("")).then(String)).rejects.toThrow(/their redshift, z = 49 in a comment, found tk\.dat/);
    await expect(made(tableAt("z = 49", 0.25, "1:k (h/Mpc) 2:other 3:T_tot")).then(String)).rejects.toThrow(
      /d_b and d_cdm/,
    );
    expect(() => deckOf([{ matter: "baryons" }])).toThrow(/one more lattice with matter = "cold"/);
    expect(() =>
      deckOf([
        { matter: "baryons", seed: 4 },
        { matter: "cold", seed: 5 },
      ]),
    ).toThrow(/seed/);
    expect(deckOf([{}, { matter: "baryons" }, { matter: "cold" }]).particles.map(({ seed }) => seed)).toEqual([
      1, 2, 2,
    ]);
  });

  it("aren't for forces between near pairs", () => {
    expect(() => deckOf(PARTS, { gravity: "p3m" })).toThrow(/"all" with gravity = "p3m"/);
  });

  it("join as linear theory says: δb − δc constant", async () => {
    const simulation = await Simulation.create(deckOf(PARTS), {
      backend: "cpu",
      loadText: async () => tableAt("z = 49"),
    });
    const growth = new Growth(new Background(cosmologyDefaults));
    await simulation.advance();
    const { positions, velocities } = await simulation.readParticles();
    const [cold, baryons] = modesOf(positions, velocities);
    for (const m of WAVES.slice(0, 3)) {
      const k = UNIT * Math.hypot(...m);
      const [b, c] = [baryonsOf(k), coldOf(k)];
      const excess = ((b - c) / (SHARE * b + (1 - SHARE) * c)) * (growth.D1(START) / growth.D1(1));
      const expected = (1 + (1 - SHARE) * excess) / (1 - SHARE * excess);
      expect(Math.abs(size(baryons.density, m) / size(cold.density, m) / expected - 1)).toBeLessThan(2e-3);
    }
    simulation.destroy();
  });
});
