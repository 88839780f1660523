import { describe, expect, it } from "vitest";
import { friendsTable } from "../../src/engine/diagnostics/memory.ts";
import { fieldPitch } from "../../src/engine/mesh/field.ts";
import { READ_AT_A_TIME } from "../../src/foundation/gpu/buffers.ts";
import { massesDiffer } from "../../src/physics/initial/components.ts";
import type { DeckComponent } from "../../src/physics/initial/models.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { fitAdvice, memoryEstimate, STAGING_LIMIT } from "../../src/scenario/estimate.ts";
import { completeScenario } from "../../src/scenario/parse.ts";

const MIB = 2 ** 20;

/** What a card of 16 GB has, and what NVIDIA's driver binds at a time. */
const CARD = { total: 16e9, binding: 2 ** 31 - 4 };

/** A CPU's adapter that binds little. */
const LAVAPIPE = { total: 19e9, binding: 2 ** 27, buffer: 2 ** 32 - 4, software: true };

/** Of a window's marks, for few particles [bytes]. */
const MARKS = 24;

/** 512³ particles on 512³ cells, but for what is given. */
function large({ boundary = "periodic", counts = [512 ** 3], mesh = {}, output = {} }: LargeCase = {}) {
  return completeScenario({
    title: "Large",
    box: { size: 1, boundary },
    mesh: { cells: 512, ...mesh },
    particles: counts.map((count, i) => ({ kind: "uniform" as const, name: `c${i}`, count, mass: 1 })),
    time: { end: 1, step: 0.1 },
    output,
  });
}
interface LargeCase {
  boundary?: Boundary;
  counts?: number[];
  mesh?: object;
  output?: object;
}

function scenario(cells: number, counts: number[], boundary: Boundary = "periodic", extra: DeckComponent[] = []) {
  return completeScenario({
    title: "Test",
    box: { size: 1, boundary },
    mesh: { cells },
    particles: [...counts.map((count, i) => ({ kind: "uniform" as const, name: `c${i}`, count, mass: 1 })), ...extra],
    time: { end: 1, step: 0.1 },
  });
}

describe("memory estimate", () => {
  it("counts as much for what is read back as is read at a time", () => {
    expect(STAGING_LIMIT).toBe(READ_AT_A_TIME);
  });

  it("keeps the budget: 60 bytes a particle and 24 a cell, but for marks, padding, ghosts, and what a kind of adapter takes", () => {
    for (const n of [64, 256, 512]) {
      const count = 10 * n ** 3;
      const { particles, mesh, slabs } = memoryEstimate(scenario(n, [count]), CARD);
      const marks = 0.01;
      const padding = (4 * fieldPitch(n)) / n - 4;
      const ghosts = slabs === 1 ? 0 : (slabs * 2 * (2 * 4 + 12)) / n;
      expect(particles / count).toBeLessThanOrEqual(60 + marks);
      expect(mesh / n ** 3).toBeLessThanOrEqual(24 + padding + ghosts + marks);
    }
    const onCpu = memoryEstimate(scenario(64, [10 * 64 ** 3]), { software: true });
    expect(onCpu.particles / (10 * 64 ** 3)).toBeCloseTo(60, 1);
    expect(onCpu.mesh / 64 ** 3).toBeCloseTo(28 + 8 / 64 + 16, 1); // padding; the force in vectors, and once more as texels
  });

  it("cuts particles and mesh where a buffer doesn't hold them, and counts the ghosts", () => {
    const deck = scenario(512, [100e6]);
    const { windows, slabs, largestBinding, mesh, particles } = memoryEstimate(deck, LAVAPIPE);
    expect({ windows, slabs, largestBinding }).toEqual({ windows: 9, slabs: 9, largestBinding: 0 });
    const whole = memoryEstimate(deck, { ...LAVAPIPE, binding: 2 ** 34 });
    expect(whole).toMatchObject({ windows: 1, slabs: 1 });
    // Two planes of the field and one of the force in vectors on either side; texels of the largest slab in place of all.
    const ghosts = 9 * 512 ** 2 * (4 * 4 * (fieldPitch(512) / 512) + 2 * 16);
    const texels = 16 * 512 ** 2 * (512 - (58 + 2));
    expect(mesh - whole.mesh).toBeCloseTo(ghosts - texels, -3);
    expect(particles - whole.particles).toBeLessThan(1000);
    expect(fitAdvice(deck, LAVAPIPE)).toMatchObject({ fits: true });
    const smaller = memoryEstimate(deck, { ...LAVAPIPE, windows: { planes: 32, particles: 10e6 } });
    expect(smaller).toMatchObject({ windows: 11, slabs: 16 });
  });

  it("adds up", () => {
    for (const software of [false, true]) {
      const { total, particles, mesh, other, outputs, host } = memoryEstimate(scenario(64, [1000]), { software });
      expect(total).toBe(particles + mesh + other + outputs + host);
      expect(host).toBe(software ? 16_000 : 0);
    }
  });

  it("counts what spherical haloes and statistics of clustering hold on a host that is the adapter, and leaves them out first", () => {
    const deck = scenario(64, [1e6]);
    const definitions = ["vir"] as const;
    const haloes = { ...deck, haloes: { ...deck.haloes, definitions: [...definitions] } };
    const both = { ...haloes, spectra: { ...deck.spectra, cells: 256, triangles: 4 } };
    const host = (of: typeof deck) => memoryEstimate(of, { software: true }).host - 16e6;
    expect([deck, haloes, both].map(host)).toEqual([0, 180e6, 44 * 256 ** 3]);
    expect(memoryEstimate(both).host).toBe(0);
    const { total } = memoryEstimate(deck, { software: true });
    expect(fitAdvice(haloes, { software: true, total }).ways[0]).toBe("haloes.definitions=[]");
  });

  it("counts the isolated solver's kernels and coarse mesh, box images and differing masses", () => {
    const n = 64;
    const periodic = memoryEstimate(scenario(n, [1000]));
    const isolated = memoryEstimate(scenario(n, [1000], "isolated"));
    // A period of 80 points; 40 coarse cells with their ghosts.
    expect(isolated.mesh - periodic.mesh).toBe(2 * 4 * 41 ** 3 + 4 * 40 ** 3 + 8 * 40 ** 2 * 41);
    const padded = scenario(32, [1000], "isolated");
    expect(memoryEstimate(padded).mesh - memoryEstimate(scenario(32, [1000])).mesh).toBe(4 * 33 ** 3);
    expect(isolated.particles - periodic.particles).toBe(8000);
    expect(memoryEstimate(scenario(n, [400, 600])).particles - periodic.particles).toBe(4000);
    expect(massesDiffer(scenario(n, [10, 10]))).toBe(false);
    // What its cut-off leaves of a halo's mass isn't known before it is drawn.
    const halo = { kind: "hernquist", count: 10, mass: 1, scale: 0.04 } as const;
    expect(massesDiffer(scenario(n, [10], "isolated", [halo]))).toBe(true);
    expect(massesDiffer(scenario(n, [], "isolated", [halo]))).toBe(false);
  });

  it("leaves rigid components out and takes a snapshot's particles when they are known", () => {
    const rigid = { kind: "plummer", rigid: true, mass: 5, scale: 1 } as const;
    const alone = memoryEstimate(scenario(32, [1000], "isolated"));
    expect(memoryEstimate(scenario(32, [1000], "isolated", [rigid]))).toEqual(alone);
    const file = scenario(32, [], "periodic", [{ kind: "snapshot", file: "a.hdf5" }]);
    expect(memoryEstimate(file).particles).toBe(0);
    expect(memoryEstimate(file, { snapshotParticles: 100 }).particles).toBe(6400 + MARKS);
  });
});

describe("512³ particles on 512³ cells, 2 GiB − 4 a binding and 16 GB", () => {
  it("are admitted", () => {
    const { fits, estimate } = fitAdvice(large(), CARD);
    expect(fits).toBe(true);
    expect(estimate.total / 1e9).toBeCloseTo(11.378, 2);
    expect(estimate).toMatchObject({ windows: 1, slabs: 1 });
    expect(fitAdvice(large(), { total: 12e9, binding: 1.7e9 }).fits).toBe(true);
    expect(fitAdvice(large(), { total: 11e9 }).fits).toBe(false);
    expect(fitAdvice(large(), { total: 12e9, binding: 1.6e9 })).toMatchObject({
      fits: true,
      estimate: { windows: 2, slabs: 2 },
    });
  });

  it.each<[string, LargeCase, number]>([
    ["an isolated box", { boundary: "isolated" }, 12.87],
    ["TSC", { mesh: { assignment: "tsc" } }, 11.38],
    ["multigrid", { mesh: { poisson: "multigrid" } }, 11.92],
    ["multigrid in an isolated box", { boundary: "isolated", mesh: { poisson: "multigrid" } }, 13.02],
    ["the spectral gradient", { mesh: { gradient: "spectral" } }, 12.52],
    ["particles of two masses", { counts: [1, 512 ** 3 - 1] }, 11.92],
    ["power spectra", { output: { powerSpectra: true } }, 12.99],
    ["a catalogue of haloes", { output: { haloes: true } }, 13.02],
  ])("with %s are admitted", (_, given, gigabytes) => {
    const { fits, estimate } = fitAdvice(large(given), CARD);
    expect(estimate.total / 1e9).toBeCloseTo(gigabytes, 1);
    expect(fits).toBe(true);
  });

  it("are as many as fit", () => {
    for (const total of [12e9, 16e9, 24e9]) {
      const limits = { ...CARD, total };
      const { count } = fitAdvice(large({ counts: [4e9], mesh: { cells: 256 } }), limits);
      expect(fitAdvice(large({ counts: [count!], mesh: { cells: 256 } }), limits).fits).toBe(true);
      expect(fitAdvice(large({ counts: [count! + 1e6], mesh: { cells: 256 } }), limits).fits).toBe(false);
      expect(count! * 60 + 256 ** 3 * 24.1).toBeGreaterThan(0.98 * total - 2 ** 27);
    }
  });

  it("with the spectral gradient in an isolated box, or a catalogue of haloes, need more, and are told what would fit", () => {
    const spectral = fitAdvice(large({ boundary: "isolated", mesh: { gradient: "spectral" } }), CARD);
    expect(spectral.message).toMatch(
      /^the run needs 15\.1 GiB in all; there are 14\.9 GiB .*\. mesh\.gradient=4-point, or mesh\.cells=384, or at most 13\d{7} particles /,
    );
    const haloes = large({ output: { haloes: true } });
    const less = { ...CARD, total: 12.5e9 };
    const advice = fitAdvice(haloes, less);
    expect(advice.message).toMatch(
      /^the run needs 12\.1 GiB in all; there are 11\.6 GiB .*; power spectra and haloes: 1\.5 GiB\)\. output\.haloes=false, or mesh\.cells=384, or at most 12\d{7} particles /,
    );
    expect(fitAdvice(large({ counts: [advice.count!], output: { haloes: true } }), less).fits).toBe(true);
  });

  it("of a displaced lattice take 24 bytes each before there is a mesh, which the mesh takes otherwise", () => {
    const lattice = (cells: number) =>
      completeScenario({
        title: "Lattice",
        units: { system: "cosmological" },
        box: { size: 100, boundary: "periodic" },
        mesh: { cells },
        particles: [{ kind: "lattice", name: "matter", perSide: 512, order: 2 }],
        time: { clock: "comoving", start: 0.02, end: 1, step: 0.02 },
        output: { haloes: false, powerSpectra: false },
      });
    const [fine, coarse] = [512, 256].map((cells) => memoryEstimate(lattice(cells), CARD));
    expect(coarse.start / 512 ** 3).toBeCloseTo(24, 0);
    expect(coarse.total).toBe(coarse.particles + coarse.start);
    expect(fine.total).toBeLessThan(1.01 * coarse.total);
    expect(fitAdvice(lattice(256), { ...CARD, total: 11e9 }).message).toMatch(
      /displacements before there is a mesh: 3\.0 GiB/,
    );
  });

  it("haloes are linked by domains: beyond one, more particles take little more", () => {
    const outputs = (count: number) => memoryEstimate(large({ counts: [count], output: { haloes: true } })).outputs;
    expect(outputs(2 ** 23) / 2 ** 23).toBeGreaterThan(76);
    expect(outputs(2 ** 24)).toBeLessThan(1.1 * outputs(2 ** 23));
    expect(outputs(2 ** 27) / 2 ** 27).toBeLessThan(13);
  });

  it("and as many particles as 2 GiB − 4 hold can be searched for haloes: their hash table is smaller then", () => {
    const count = Math.floor(CARD.binding / 12);
    const most = large({ counts: [count], output: { haloes: true } });
    expect(fitAdvice(most, { binding: CARD.binding }).fits).toBe(true);
    expect(friendsTable(count)).toBe(2 ** 29);
    expect(friendsTable(count, CARD.binding)).toBe(2 ** 28);
    expect(friendsTable(1000, CARD.binding)).toBe(2048);
  });
});

describe("advice when a run doesn't fit", () => {
  const deck = scenario(256, [10 * MIB]);

  it("is empty when it fits", () => {
    expect(fitAdvice(deck, {})).toMatchObject({ fits: true, message: "" });
    expect(fitAdvice(deck, { total: 2 ** 34, binding: 2 ** 31 }).fits).toBe(true);
  });

  it("names what is needed, what there is and what would fit, and that does fit", () => {
    const limits = { total: 900 * MIB };
    const advice = fitAdvice(deck, limits);
    expect(advice.message).toBe(
      "the run needs 1.0 GiB in all; there are 900 MiB (10485760 particles: 600 MiB; mesh of 256^3: 392 MiB). " +
        `mesh.cells=192, or at most ${advice.count} particles (now 10485760) with mesh.cells=256 would fit`,
    );
    expect(fitAdvice(scenario(192, [10 * MIB]), limits).fits).toBe(true);
    expect(fitAdvice(scenario(256, [advice.count!]), limits).fits).toBe(true);
    expect(fitAdvice(scenario(256, [advice.count! + 1]), limits).fits).toBe(false);
  });

  it("minds what must lie in one piece: the bodies of direct gravity", () => {
    const few = completeScenario({
      title: "Test",
      gravity: "direct",
      box: { size: 1, boundary: "isolated" },
      particles: [{ kind: "plummer", count: 2e6, mass: 1 }],
      time: { end: 1, step: 0.1 },
    });
    const { message, count } = fitAdvice(few, LAVAPIPE);
    expect(message).toContain("the run needs 244 MiB in one piece; the adapter binds at most 128 MiB");
    expect(count).toBe(2 ** 20);
    expect(fitAdvice(deck, { binding: 128 * MIB }).fits).toBe(true);
  });

  it("goes no further than numbers of 32 bits, whatever the adapter binds", () => {
    expect(fitAdvice(scenario(1536, [4e9]), {}).fits).toBe(true);
    for (const n of [2048, 16_384]) {
      const cells = fitAdvice(scenario(n, [10]), { binding: 2 ** 27 });
      expect(cells).toMatchObject({ fits: false, cells: 1536 });
      expect(cells.message).toContain(`the run needs numbers for ${n}^3 cells; 32 bits have those of 1536^3`);
    }
  });

  it("lowers both where one isn't enough, and says when nothing helps", () => {
    expect(fitAdvice(deck, { total: 64 * MIB }).message).toMatch(
      /mesh\.cells=\d+ with at most \d+ particles .* would fit$/,
    );
    expect(fitAdvice(deck, { total: 1000 }).message).toContain("No mesh of this program would fit");
  });
});

describe("a run that ranks share", () => {
  const isolated = large({ boundary: "isolated", counts: [400e6] });

  it("needs a share of the particles and the whole mesh on each rank", () => {
    const [one, four] = [1, 4].map((ranks) => memoryEstimate(isolated, { ...CARD, ranks }));
    expect(four.particles / one.particles).toBeCloseTo(1 / 4, 3);
    expect(four.mesh - one.mesh).toBe(STAGING_LIMIT);
    expect(fitAdvice(isolated, { ...CARD, ranks: 1 }).fits).toBe(false);
    expect(fitAdvice(isolated, { ...CARD, ranks: 4 }).fits).toBe(true);
  });

  it("is what the advice names, where several may be had", () => {
    expect(fitAdvice(isolated, { ...CARD, ranks: 1 }).message).toContain("4 ranks with a GPU each (mpirun -n 4)");
    expect(fitAdvice(isolated, CARD).message).not.toContain("mpirun");
    expect(fitAdvice(isolated, { ...LAVAPIPE, ranks: 1 }).message).not.toContain("mpirun");
  });

  it("has the particles of all on rank 0 for haloes, which no number of ranks makes fit", () => {
    const counts = [300e6];
    const advice = fitAdvice(large({ counts, output: { haloes: true } }), { ...CARD, ranks: 8 });
    expect(advice.fits).toBe(false);
    expect(advice.message).toMatch(/on rank 0; there are 14\.9 GiB .*haloes, found on rank 0: /);
    expect(advice.ways).toContain("output.haloes=false");
    expect(advice.message).not.toContain("mpirun");
    const spectra = large({ counts, output: { haloes: false, powerSpectra: true } });
    expect(fitAdvice(spectra, { ...CARD, ranks: 8 }).fits).toBe(true);
  });

  it("counts all ranks that have the memory together", () => {
    const deck = scenario(64, [1e6]);
    const { total, together } = memoryEstimate(deck, { software: true, ranks: 2, sharing: 2 });
    expect(together).toBe(2 * total);
    const limits = { software: true, ranks: 2, sharing: 2 };
    expect(fitAdvice(deck, { ...limits, total: 2 * total }).fits).toBe(true);
    expect(fitAdvice(deck, { ...limits, total: 2 * total - 1 }).message).toContain("for 2 ranks together");
  });
});
