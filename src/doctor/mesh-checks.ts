/**
 * The stages of a step on the mesh one after the other, each with what the kernels before it left, so that an error stays
 * where it arises: ordering, deposit, Poisson, gradient. And transforms of lines that are longer than such a mesh has.
 */
import between from "../../wgsl/mesh/fft-between.wgsl";
import type { WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import { crowding } from "../mesh/crowding.ts";
import { Deposit, type DepositShapeName } from "../mesh/deposit.ts";
import { LineKernels } from "../mesh/fft-kernel.ts";
import { type FftShape, type LineAlgorithm, shapesFor } from "../mesh/fft-plan.ts";
import { createMeshBuffers, type MeshBuffers } from "../mesh/field.ts";
import { MeshGradient } from "../mesh/gradient.ts";
import { LineFft } from "../mesh/line-fft.ts";
import { Multigrid } from "../mesh/multigrid.ts";
import { multigridPresets } from "../mesh/multigrid-settings.ts";
import { PoissonFft } from "../mesh/poisson-fft.ts";
import type { Assignment, MeshSettings } from "../mesh/settings.ts";
import { cellGrid } from "../mesh/stage.ts";
import { walkLength } from "../mesh/walk.ts";
import { wholeOf } from "../particles/blocks.ts";
import type { Boundary } from "../particles/box.ts";
import { ParticleBuffers } from "../particles/buffers.ts";
import { MASS_UNITS } from "../particles/fixed-point.ts";
import { wholeBox } from "../particles/grid.ts";
import { ParticleMasses } from "../particles/masses.ts";
import { Order, type OrderOptions } from "../particles/order.ts";
import { ParticleReading } from "../particles/reading.ts";
import type { ParticleSet } from "../particles/state.ts";
import { SLOTS_A_MARK } from "../particles/windows.ts";
import { cellKeys, gridOf, orderByCell } from "../reference/mesh/cells.ts";
import { depositMass } from "../reference/mesh/deposit.ts";
import { differenceGradient, meshGradient } from "../reference/mesh/gradient.ts";
import { MultigridSolver } from "../reference/mesh/multigrid.ts";
import { PoissonFft as ReferenceFft } from "../reference/mesh/poisson-fft.ts";
import { type Check, type Comparison, close, nowhereFar, onContext, randomNumbers, same } from "./check.ts";
import { readField, readForce, readMass } from "./mesh-reading.ts";

export const BOX = 4;
const G = 1.5;
const PARTICLES = 4001;
/** Particles that a piece of them holds at least. */
export const LEAST_PIECE = SLOTS_A_MARK;
/** Errors over the rms of float32 arithmetic of a few stages of a transform; measured 1.5e-7 to 2.5e-7. */
const TRANSFORM = 1e-6;
const DIFFERENCES = 4e-7;
/** Weights of the deposit are of offsets cut to 24 bits; the masses are integers, so that every adapter has this error: 7.5e-7. */
const WEIGHTS = 1e-6;
const MULTIGRID = 6e-6;
const SHAPES: readonly DepositShapeName[] = ["rows", "runs-8", "runs-128", "direct", "host"];

/** Particles over the box and in a clump, of unequal mass; of an isolated box some lie beyond its faces. */
export function someParticles(boundary: Boundary, count = PARTICLES): ParticleSet {
  const random = randomNumbers(7);
  const positions = Float64Array.from({ length: 3 * count }, (_, i) => {
    const clumped = i % 12 < 6;
    const spread = clumped ? 0.15 : boundary === "isolated" && i % 30 < 3 ? 1.3 : 0.98;
    // Multiples of 2⁻³² of the box, which both sides hold exactly.
    return (BOX * Math.round(2 ** 32 * (0.5 + spread * (random() - 0.5)))) / 2 ** 32;
  });
  return {
    count,
    positions,
    velocities: Float32Array.from({ length: 3 * count }, () => random() - 0.5),
    masses: Float64Array.from({ length: count }, () => Math.fround(2 ** (-8 * random()))),
    components: [{ name: "all", species: "halo", first: 0, count }],
  };
}

function settingsOf(cells: number, assignment: Assignment, gradient: MeshSettings["gradient"] = "2-point") {
  const green = { poisson: "fft", green: "exact", kernel: "truncated" } as const;
  return { cells, assignment, gradient, deposit: "auto", softenedModels: false, ...green } satisfies MeshSettings;
}

interface Stage {
  gpu: GpuContext;
  set: ParticleSet;
  particles: ParticleBuffers;
  mesh: MeshBuffers;
  settings: ReturnType<typeof settingsOf>;
  /** Orders the particles by cell. */
  sort(): Promise<void>;
}

/** Particles and mesh with what orders them, for as long as `use` takes. */
function staged<T>(
  gpu: GpuContext,
  given: {
    cells: number;
    assignment: Assignment;
    boundary: Boundary;
    count?: number;
    order?: OrderOptions;
    windows?: GpuContext["windows"];
  },
  use: (stage: Stage) => Promise<T>,
): Promise<T> {
  const { cells, assignment, boundary, count, windows = {} } = given;
  return onContext(gpu, { windows }, async (context) => {
    const set = someParticles(boundary, count);
    const settings = settingsOf(cells, assignment);
    const particles = await ParticleBuffers.create(context, set, { boxSize: BOX, boundary });
    const mesh = createMeshBuffers(context, wholeBox(cells, boundary));
    await context.buffers.settle();
    const order = await Order.create(context, particles, mesh.starts, cellGrid(settings, mesh.grid), given.order);
    const sort = async () => {
      const batch = context.batch("order");
      order.encodeCount(batch);
      order.encodeSort(batch);
      await batch.submit();
    };
    return use({ gpu: context, set, particles, mesh, settings, sort });
  });
}

/** Cells lie in pencils of 2 × 2 rows along x, a particle's key in the reference in rows. */
function inPencils(key: number, n: number): number {
  if (key === n ** 3) return key;
  const [x, y, z] = [key % n, Math.floor(key / n) % n, Math.floor(key / n ** 2)];
  return 4 * ((Math.floor(z / 2) * (n / 2) + Math.floor(y / 2)) * n + x) + 2 * (z % 2) + (y % 2);
}

/** Devices that bind few buffers order in several dispatches. */
const FEW_BUFFERS = { storageBuffers: 8 };

const ordering = (boundary: Boundary): Check => ({
  name: `order by cell, ${boundary}`,
  part: "order",
  twin: "counting sort of the keys on the host (reference/mesh/cells.ts)",
  run: async (gpu) => {
    const found: Comparison[] = [];
    for (const [how, options, windows] of [
      ["", {}, {}],
      [", few buffers", FEW_BUFFERS, {}],
      [", few buffers, in pieces", FEW_BUFFERS, { particles: LEAST_PIECE }],
    ] as const) {
      const count = "particles" in windows ? 2 * LEAST_PIECE + 809 : PARTICLES;
      const given = { cells: 24, assignment: "cic", boundary, order: options, windows, count } as const;
      await staged(gpu, given, async ({ set, particles, mesh, settings, sort, ...on }) => {
        await sort();
        const keys = cellKeys(gridOf(settings, boundary, BOX), set.positions).map((key) => inPencils(key, 24));
        const { cellStart } = orderByCell(keys, 24 ** 3);
        const ids = await particles.readIds();
        const disordered = ids.filter((id, slot) => slot > 0 && keys[id] < keys[ids[slot - 1]]).length;
        const starts = new Uint32Array(await on.gpu.read(mesh.cellStart)).subarray(0, cellStart.length);
        found.push(
          same(`first particle of each cell${how}`, starts, cellStart),
          same(`each particle once${how}`, ids.slice().sort(), Uint32Array.from(ids.keys())),
          same(`particles out of order${how}`, [disordered], [0]),
        );
      });
    }
    return found;
  },
});

/** Particles that lie by cell, read by id: at their places, or brought into groups of ids first. */
const reading: Check = {
  name: "particles read by id",
  part: "order",
  twin: "the particles as they were uploaded",
  run: (gpu) =>
    staged(gpu, { cells: 24, assignment: "cic", boundary: "isolated" }, async ({ set, particles, sort, ...on }) => {
      await sort();
      const masses = ParticleMasses.of(set.masses, set.components);
      const software = { ...on.gpu.adapter, software: true };
      return onContext(on.gpu, { adapter: software }, async (context) => {
        const found: Comparison[] = [];
        for (const [how, least] of [
          ["at their places", Number.POSITIVE_INFINITY],
          ["in groups of ids", 1],
        ] as const) {
          const blocks = new ParticleReading(context, particles, masses, least).blocks({ block: 999 }, {});
          const { positions, velocities } = await wholeOf(set, blocks);
          found.push(
            same(`positions, ${how}`, positions, set.positions),
            same(`velocities, ${how}`, velocities, set.velocities),
          );
        }
        return found;
      });
    }),
};

const deposit = (assignment: Assignment, boundary: Boundary): Check => ({
  name: `deposit, ${assignment}, ${boundary}`,
  part: "deposit",
  twin: "float64 weights (reference/mesh/deposit.ts), and every shape with the bits of the first",
  run: (gpu) =>
    staged(gpu, { cells: 24, assignment, boundary }, async ({ set, particles, mesh, settings, sort, ...on }) => {
      const grid = gridOf(settings, boundary, BOX);
      const { order, cellStart } = orderByCell(cellKeys(grid, set.positions), 24 ** 3);
      const inside = order.subarray(0, cellStart[24 ** 3]);
      const perUnit = MASS_UNITS / particles.heaviest / (24 / BOX) ** 3;
      const expected = depositMass(grid, set.positions, set.masses, inside).map((density) => density * perUnit);
      const found: Comparison[] = [];
      let first: Float64Array | undefined;
      for (const shape of SHAPES) {
        await sort();
        const one = await Deposit.create({ gpu: on.gpu, particles, mesh, settings }, { shape });
        await one.run();
        const mass = await readMass(on.gpu, mesh);
        one.destroy();
        if (first) found.push(same(`mass of each cell, shape ${shape}`, mass, first));
        else found.push(nowhereFar(`mass of each cell, shape ${shape}`, mass, expected, WEIGHTS));
        first ??= mass;
      }
      return found;
    }),
});

const crowded = (boundary: Boundary): Check => ({
  name: `crowding of cells, ${boundary}`,
  part: "deposit",
  twin: "counts of the keys on the host (reference/mesh/cells.ts)",
  run: (gpu) =>
    staged(gpu, { cells: 24, assignment: "cic", boundary }, async ({ set, mesh, settings, sort, ...on }) => {
      await sort();
      const { perCell, fullestPencil } = await crowding(on.gpu, mesh);
      const inside = [...cellKeys(gridOf(settings, boundary, BOX), set.positions)].filter((key) => key < 24 ** 3);
      const pencils = new Uint32Array(24 ** 2 / 4);
      for (const key of inside) pencils[Math.floor(inPencils(key, 24) / (4 * 24))]++;
      return [
        same("particles per occupied cell", [perCell], [inside.length / new Set(inside).size]),
        same("particles in the fullest pencil", [fullestPencil], [Math.max(...pencils)]),
      ];
    }),
});

interface Problem {
  cells: number;
  boundary: Boundary;
  change?: Partial<Pick<MeshSettings, "green" | "kernel">>;
  spectralGradient?: boolean;
}

/** [n³] mass [units] on the mesh by a deposit, and the density that it is [mass/length³]. */
async function deposited({ gpu, particles, mesh, settings, sort }: Stage) {
  await sort();
  const one = await Deposit.create({ gpu, particles, mesh, settings }, { shape: "direct" });
  await one.run();
  one.destroy();
  const massUnit = particles.heaviest / MASS_UNITS;
  const units = await readMass(gpu, mesh);
  const totalUnits = units.reduce((sum, each) => sum + each, 0);
  return { massUnit, totalUnits, rho: units.map((each) => each * massUnit * (settings.cells / BOX) ** 3) };
}

/** Accelerations of [cells, ax|ay|az|φ] axis by axis. */
const byAxis = (compare: typeof close, how: string, pair: readonly ArrayLike<number>[], allowed: number) =>
  ["x", "y", "z"].map((name, axis) => {
    const [found, expected] = pair.map((values) =>
      Float64Array.from({ length: values.length / 4 }, (_, i) => values[4 * i + axis]),
    );
    return compare(`acceleration along ${name}, ${how}`, found, expected, allowed);
  });

const poissonByTransform = ({ cells, boundary, change = {}, spectralGradient = false }: Problem): Check => {
  const kind = boundary === "periodic" ? (change.green ?? "exact") : (change.kernel ?? "truncated");
  const more = spectralGradient ? ", spectral gradient" : "";
  return {
    name: `Poisson by transform, ${boundary}, ${kind}, ${cells}³${more}`,
    part: "poisson",
    twin: "transforms in float64 (reference/mesh/poisson-fft.ts)",
    run: (gpu) =>
      staged(gpu, { cells, assignment: "cic", boundary }, async (stage) => {
        const { green, kernel } = { ...stage.settings, ...change };
        const twin =
          boundary === "periodic"
            ? ReferenceFft.periodic(cells, BOX, G, green)
            : ReferenceFft.isolated(cells, BOX, G, kernel);
        const found: Comparison[] = [];
        for (const shape of shapesFor(stage.gpu, boundary === "isolated" ? [cells, 2 * cells] : [cells / 2, cells])) {
          const { massUnit, totalUnits, rho } = await deposited(stage);
          const problem = { boundary, green, kernel, boxSize: BOX, G, massUnit, totalUnits, spectralGradient, shape };
          const solver = await PoissonFft.create(stage.gpu, stage.mesh, problem);
          await solver.encode(stage.gpu.batch("poisson")).submit();
          const expected = twin.potential(rho);
          const potential = await readField(stage.gpu, stage.mesh);
          found.push(close(`potential, transforms by ${shape}`, potential, expected, TRANSFORM));
          if (spectralGradient) {
            const force = await readForce(stage.gpu, stage.mesh);
            const exact = meshGradient({ gradient: "spectral", h: BOX / cells }, twin, rho, expected);
            found.push(...byAxis(close, `transforms by ${shape}`, [force, exact], TRANSFORM));
          }
          solver.destroy();
        }
        return found;
      }),
  };
};

const multigrid = (cells: number, boundary: Boundary, order: 2 | 4): Check => ({
  name: `Poisson by multigrid, ${boundary}, ${cells}³, order ${order}`,
  part: "poisson",
  twin: "the same two cycles in float64 (reference/mesh/multigrid.ts)",
  run: (gpu) =>
    staged(gpu, { cells, assignment: "cic", boundary }, async (stage) => {
      const settings = { ...multigridPresets.default, order, maxCycles: 2 };
      const found: Comparison[] = [];
      for (const run of [1, walkLength(cells)]) {
        const { massUnit, totalUnits, rho } = await deposited(stage);
        const problem = { boundary, boxSize: BOX, G, massUnit, totalUnits, multigrid: settings, run };
        const solver = await Multigrid.create(stage.gpu, stage.mesh, problem);
        if (solver.needsHost) await solver.run();
        else await solver.encode(stage.gpu.batch("multigrid")).submit();
        const expected = new MultigridSolver(cells, BOX, G, boundary, settings).potential(rho);
        const potential = await readField(stage.gpu, stage.mesh);
        found.push(close(`potential, ${run} cells in a run`, potential, expected, MULTIGRID));
        solver.destroy();
      }
      return found;
    }),
});

const gradient = (scheme: "2-point" | "4-point", boundary: Boundary): Check => ({
  name: `gradient, ${scheme}, ${boundary}`,
  part: "gradient",
  twin: "differences in float64 (reference/mesh/gradient.ts)",
  run: async (gpu) => {
    const n = 16;
    const found: Comparison[] = [];
    for (const vectors of [false, true]) {
      await onContext(gpu, {}, async (context) => {
        const mesh = createMeshBuffers(context, wholeBox(n, boundary), { vectors });
        await context.buffers.settle();
        const random = randomNumbers(5);
        const potential = Float32Array.from({ length: n ** 3 }, () => 2 * random() - 1);
        for (let row = 0; row < n * n; row++) {
          const part = potential.slice(row * n, (row + 1) * n);
          context.device.queue.writeBuffer(mesh.field, 4 * row * mesh.pitch, part);
        }
        const expected = differenceGradient(Float64Array.from(potential), {
          n,
          h: BOX / n,
          scheme,
          wraps: mesh.grid.boundary.wraps,
        });
        for (const run of [1, walkLength(n)]) {
          const one = await MeshGradient.create(context, mesh, { gradient: scheme, boxSize: BOX, run });
          await one.encode(context.batch("gradient")).submit();
          const force = await readForce(context, mesh);
          one.destroy();
          const how = `${run} in a run${vectors ? ", in vectors" : ""}`;
          found.push(...byAxis(nowhereFar, how, [force, expected], DIFFERENCES));
        }
      });
    }
    return found;
  },
});

/** [lines, 2n] spectra of interleaved complex lines in float64; unnormalised backwards. */
function exactLines(data: ArrayLike<number>, n: number, backwards: boolean): Float64Array {
  const fft = new LineFft(n);
  const result = new Float64Array(data.length);
  const [input, out] = [new Float64Array(2 * n), new Float64Array(2 * n)];
  const sign = backwards ? -1 : 1;
  for (let line = 0; line < data.length; line += 2 * n) {
    for (let i = 0; i < 2 * n; i++) input[i] = (i % 2 === 1 ? sign : 1) * data[line + i];
    fft.forward(out, input);
    for (let i = 0; i < 2 * n; i++) result[line + i] = (i % 2 === 1 ? sign : 1) * out[i];
  }
  return result;
}

/** Frequency f divided by 1 + f: no two have the same factor. */
const OVER_FREQUENCY: WgslSource = {
  path: "src/doctor/mesh-checks.ts",
  text: [
    "fn prepareTransfer(place: Place) {}",
    "fn transferFactor(place: Place, k: u32) -> f32 { return 1.0 / f32(1u + k); }",
    "fn transferred(factor: f32, k: u32, v: vec2f) -> vec2f { return factor * v; }",
  ].join("\n"),
};

/** Lines of n points, and rows of 2n real numbers: there and back. */
async function lines(gpu: GpuContext, n: number, shape: FftShape): Promise<Comparison[]> {
  const [count, modes] = [19, n + 1];
  const kernels = new LineKernels(gpu, shape);
  const random = randomNumbers(n);
  const numbers = () => Float32Array.from({ length: 2 * n * count }, () => 2 * random() - 1);
  const [complex, real] = [numbers(), numbers()];
  const run = async (algorithm: LineAlgorithm, source: GPUBuffer, from = n, to = n) => {
    const more = algorithm === "convolve" ? [OVER_FREQUENCY] : [];
    const about = { length: n, rows: true };
    const kernel = await kernels.kernel(`lines, ${algorithm}`, algorithm, about, [between, ...more]);
    const target = kernels.storage("lines", 8 * to * count);
    const layout = (points: number) => ({ run: points, stride: 1 });
    const pass = kernel.on({ count, lanes: 1, source: layout(from), target: layout(to) }, source, target);
    await gpu.batch("lines").stage("fft").passes([pass]).submit();
    return { target, values: new Float32Array(await gpu.read(target)) };
  };
  const ofComplex = async (algorithm: LineAlgorithm) => (await run(algorithm, kernels.table("lines", complex))).values;
  const compared = (what: string, found: Float32Array, expected: ArrayLike<number>, allowed = TRANSFORM) =>
    close(`${what}, ${shape}`, found, expected, allowed);
  try {
    const spectrum = exactLines(complex, n, false);
    const factored = spectrum.map((value, i) => value / (1 + (Math.floor(i / 2) % n)));
    const rows = await run("realForward", kernels.table("rows", real), n, modes);
    const again = await run("realInverse", rows.target, modes, n);
    const spectra = exactLines(
      Float64Array.from({ length: 2 * real.length }, (_, i) => (i % 2 ? 0 : real[i / 2])),
      2 * n,
      false,
    );
    const half = rows.values.map((_, i) => spectra[4 * n * Math.floor(i / (2 * modes)) + (i % (2 * modes))]);
    const doubled = real.map((value) => 2 * n * value);
    return [
      compared(`${n} points`, await ofComplex("forward"), spectrum),
      compared(`${n} points back`, await ofComplex("inverse"), exactLines(complex, n, true)),
      compared(
        `${n} points there, times factors, and back`,
        await ofComplex("convolve"),
        exactLines(factored, n, true),
      ),
      compared(`${2 * n} real numbers`, rows.values, half),
      compared(`${2 * n} real numbers there and back`, again.values, doubled, 2 * TRANSFORM),
    ];
  } finally {
    kernels.destroy();
  }
}

const transforms: Check = {
  name: "transforms of lines",
  part: "poisson",
  twin: "transforms in float64 (mesh/line-fft.ts)",
  run: async (gpu) => {
    const found: Comparison[] = [];
    for (const n of [48, 192]) for (const shape of shapesFor(gpu, [n])) found.push(...(await lines(gpu, n, shape)));
    return found;
  },
};

const BOUNDARIES = ["periodic", "isolated"] as const;

export const meshChecks: readonly Check[] = [
  ...BOUNDARIES.map(ordering),
  reading,
  ...BOUNDARIES.map(crowded),
  ...BOUNDARIES.flatMap((boundary) => (["ngp", "cic", "tsc"] as const).map((one) => deposit(one, boundary))),
  poissonByTransform({ cells: 24, boundary: "periodic" }),
  poissonByTransform({ cells: 32, boundary: "periodic", change: { green: "discrete" } }),
  poissonByTransform({ cells: 16, boundary: "periodic", spectralGradient: true }),
  poissonByTransform({ cells: 16, boundary: "isolated" }),
  poissonByTransform({ cells: 24, boundary: "isolated", change: { kernel: "cell-integrated" } }),
  poissonByTransform({ cells: 16, boundary: "isolated", spectralGradient: true }),
  transforms,
  multigrid(16, "isolated", 4),
  multigrid(32, "periodic", 2),
  multigrid(64, "isolated", 2),
  ...BOUNDARIES.flatMap((boundary) => (["2-point", "4-point"] as const).map((one) => gradient(one, boundary))),
];
