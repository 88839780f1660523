/**
 * Checks of the stages of a mesh step (ordering, deposit, Poisson, gradient), each on what the kernels before it left,
 * so that an error stays where it arises.
 */

import { pseudoRandom } from "../../engine/direct/arithmetic.ts";
import { ParticleBuffers } from "../../engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../engine/gpu-particles/order.ts";
import { ParticleReading } from "../../engine/gpu-particles/reading.ts";
import { crowding } from "../../engine/mesh/deposit/crowding.ts";
import { Deposit, type DepositShapeName } from "../../engine/mesh/deposit/deposit.ts";
import { walkLength } from "../../engine/mesh/deposit/walk.ts";
import { shapesFor } from "../../engine/mesh/fft/fft-plan.ts";
import { createMeshBuffers } from "../../engine/mesh/field.ts";
import { readField } from "../../engine/mesh/force/field-reading.ts";
import { MeshGradient } from "../../engine/mesh/force/gradient.ts";
import { Multigrid } from "../../engine/mesh/multigrid/multigrid.ts";
import { multigridPresets } from "../../engine/mesh/multigrid/multigrid-settings.ts";
import { PoissonFft } from "../../engine/mesh/poisson/poisson-fft.ts";
import { isolatedPeriod } from "../../engine/mesh/poisson/split-mesh.ts";
import type { Assignment, GradientScheme, MeshSettings } from "../../engine/mesh/settings.ts";
import { cellGrid } from "../../engine/mesh/stage.ts";
import { cellKeys, hostGridOf, orderByCell } from "../../engine/reference/mesh/cells.ts";
import { depositMass } from "../../engine/reference/mesh/deposit.ts";
import { differenceGradient, meshGradient } from "../../engine/reference/mesh/gradient.ts";
import { MultigridSolver } from "../../engine/reference/mesh/multigrid.ts";
import { poissonSolvers } from "../../engine/reference/mesh/poisson.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { assignmentNames } from "../../physics/particles/assignments.ts";
import { wholeOf } from "../../physics/particles/blocks.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { MASS_UNITS } from "../../physics/particles/fixed-point.ts";
import { wholeBoxGrid } from "../../physics/particles/grid.ts";
import { ParticleMasses } from "../../physics/particles/masses.ts";
import {
  BOX,
  type Check,
  type CheckComparison,
  close,
  IN_PIECES,
  LEAST_PIECE,
  nowhereFar,
  ofEach,
  onContext,
  same,
  someParticles,
} from "./check.ts";
import { TRANSFORM, transforms } from "./line-checks.ts";
import { readForce, readMass } from "./mesh-reading.ts";

const G = 1.5;
const DIFFERENCES = 4e-7;
/** Weights of the deposit are of offsets cut to 24 bits; the masses are integers, so that every adapter has this error: 7.5e-7. */
const WEIGHTS = 1e-6;
const MULTIGRID = 6e-6;
const SHAPES: readonly DepositShapeName[] = ["rows", "windows", "runs-128", "direct", "host"];

function settingsOf(cells: number, assignment: Assignment, gradient: MeshSettings["gradient"] = "2-point") {
  const green = { poisson: "fft", green: "exact", kernel: "truncated" } as const;
  return { cells, assignment, gradient, deposit: "auto", softenedModels: false, ...green } satisfies MeshSettings;
}

interface Setting {
  cells: number;
  assignment?: Assignment;
  boundary: Boundary;
  count?: number;
  windows?: GpuContext["windows"];
}

/** Particles and mesh with what orders them, for as long as `use` takes. */
function staged(
  gpu: GpuContext,
  given: Setting,
  use: (stage: Stage) => Promise<CheckComparison[]>,
): Promise<CheckComparison[]> {
  return onContext(gpu, { windows: given.windows ?? {} }, async (context) => use(await stageOf(context, given)));
}

type Stage = Awaited<ReturnType<typeof stageOf>>;

async function stageOf(gpu: GpuContext, { cells, assignment = "cic", boundary, count }: Setting) {
  const set = someParticles(boundary, count);
  const settings = settingsOf(cells, assignment);
  const grid = hostGridOf(settings, boundary, BOX);
  const particles = await ParticleBuffers.create(gpu, set, { boxSize: BOX, boundary });
  const mesh = createMeshBuffers(gpu, wholeBoxGrid(cells, boundary));
  await gpu.buffers.settle();
  const order = await ParticleOrder.create(gpu, particles, mesh.starts, cellGrid(settings, mesh.grid));
  const sort = async () => {
    const batch = gpu.batch("order");
    order.encodeCount(batch);
    order.encodeSort(batch);
    await batch.submit();
  };
  const keys = () => cellKeys(grid, set.positions);
  return { gpu, set, settings, grid, particles, mesh, sort, keys };
}

/** A check on particles and a mesh. */
const onStage = (
  about: Omit<Check, "run">,
  setting: Setting,
  compare: (stage: Stage) => Promise<CheckComparison[]>,
): Check => ({ ...about, run: (gpu) => staged(gpu, setting, compare) });

/** Cells lie in pencils of 2 × 2 rows along x, a particle's key in the reference in rows. */
function inPencils(key: number, n: number): number {
  if (key === n ** 3) return key;
  const [x, y, z] = [key % n, Math.floor(key / n) % n, Math.floor(key / n ** 2)];
  return 4 * ((Math.floor(z / 2) * (n / 2) + Math.floor(y / 2)) * n + x) + 2 * (z % 2) + (y % 2);
}

const ordering = (boundary: Boundary): Check => ({
  name: `order by cell, ${boundary}`,
  part: "order",
  twin: "counting sort of the keys on the host (engine/reference/mesh/cells.ts)",
  run: (gpu) => {
    const inPieces = { windows: { particles: LEAST_PIECE }, count: IN_PIECES };
    return ofEach([{}, inPieces], (given) =>
      staged(gpu, { cells: 24, boundary, ...given }, async ({ particles, mesh, sort, ...stage }) => {
        const how = given === inPieces ? ", in pieces" : "";
        await sort();
        const keys = stage.keys().map((key) => inPencils(key, 24));
        const { cellStart } = orderByCell(keys, 24 ** 3);
        const ids = await particles.readIds();
        const disordered = ids.filter((id, slot) => slot > 0 && keys[id] < keys[ids[slot - 1]]).length;
        const starts = new Uint32Array(await stage.gpu.read(mesh.cellStart)).subarray(0, cellStart.length);
        return [
          same(`first particle of each cell${how}`, starts, cellStart),
          same(`each particle once${how}`, ids.slice().sort(), Uint32Array.from(ids.keys())),
          same(`particles out of order${how}`, [disordered], [0]),
        ];
      }),
    );
  },
});

/** Particles that lie by cell, read by id: at their places, or brought into groups of ids first. */
const reading = onStage(
  { name: "particles read by id", part: "order", twin: "the particles as they were uploaded" },
  { cells: 24, boundary: "isolated" },
  async ({ gpu, set, particles, sort }) => {
    await sort();
    const masses = ParticleMasses.of(set.masses, set.components);
    const ways = { "at their places": Number.POSITIVE_INFINITY, "in groups of ids": 1 };
    return onContext(gpu, { adapter: { ...gpu.adapter, software: true } }, (context) =>
      ofEach(Object.entries(ways), async ([how, least]) => {
        const blocks = new ParticleReading(context, particles, masses, least).blocks({ block: 999 }, {});
        const { positions, velocities } = await wholeOf(set, blocks);
        return [
          same(`positions, ${how}`, positions, set.positions),
          same(`velocities, ${how}`, velocities, set.velocities),
        ];
      }),
    );
  },
);

const deposit = (assignment: Assignment, boundary: Boundary): Check =>
  onStage(
    {
      name: `deposit, ${assignment}, ${boundary}`,
      part: "deposit",
      twin: "float64 weights (engine/reference/mesh/deposit.ts), and every shape with the bits of the first",
    },
    { cells: 24, assignment, boundary },
    async (stage) => {
      const { set, grid, particles } = stage;
      const { order, cellStart } = orderByCell(stage.keys(), 24 ** 3);
      const inside = order.subarray(0, cellStart[24 ** 3]);
      const perUnit = MASS_UNITS / particles.heaviest / (24 / BOX) ** 3;
      const expected = depositMass(grid, set.positions, set.masses, inside).map((density) => density * perUnit);
      let first: Float64Array | undefined;
      return ofEach(SHAPES, async (shape) => {
        const mass = await depositedMass(stage, shape);
        const what = `mass of each cell, shape ${shape}`;
        const comparison = first ? same(what, mass, first) : nowhereFar(what, mass, expected, WEIGHTS);
        first ??= mass;
        return comparison;
      });
    },
  );

/** [n³] mass in every cell [units], by a deposit of the particles as they are. */
async function depositedMass({ gpu, particles, mesh, settings, sort }: Stage, shape: DepositShapeName) {
  await sort();
  return releasing(Deposit.create({ gpu, particles, mesh, settings }, { shape }), async (one) => {
    await one.run();
    return readMass(gpu, mesh);
  });
}

const crowded = (boundary: Boundary): Check =>
  onStage(
    {
      name: `crowding of cells, ${boundary}`,
      part: "deposit",
      twin: "counts of the keys on the host (engine/reference/mesh/cells.ts)",
    },
    { cells: 24, boundary },
    async ({ gpu, mesh, sort, keys }) => {
      await sort();
      const { perCell, fullestPencil } = await crowding(gpu, mesh);
      const inside = [...keys()].filter((key) => key < 24 ** 3);
      const pencils = new Uint32Array(24 ** 2 / 4);
      for (const key of inside) pencils[Math.floor(inPencils(key, 24) / (4 * 24))]++;
      return [
        same("particles per occupied cell", [perCell], [inside.length / new Set(inside).size]),
        same("particles in the fullest pencil", [fullestPencil], [Math.max(...pencils)]),
      ];
    },
  );

interface Problem {
  cells: number;
  boundary: Boundary;
  change?: Partial<Pick<MeshSettings, "green" | "kernel">>;
  spectralGradient?: boolean;
}

/** The mesh with the mass of the particles, and the density that it is [mass/length³]. */
async function deposited(stage: Stage) {
  const units = await depositedMass(stage, "direct");
  const massUnit = stage.particles.heaviest / MASS_UNITS;
  const totalUnits = units.reduce((sum, each) => sum + each, 0);
  return { massUnit, totalUnits, rho: units.map((each) => each * massUnit * (stage.settings.cells / BOX) ** 3) };
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
  return onStage(
    {
      name: `Poisson by transform, ${boundary}, ${kind}, ${cells}³${more}`,
      part: "poisson",
      twin: "transforms in float64 (engine/reference/mesh/poisson-fft.ts)",
    },
    { cells, boundary },
    async (stage) => {
      const { gpu, mesh } = stage;
      const gradient: GradientScheme = spectralGradient ? "spectral" : "4-point";
      const settings = { ...stage.settings, ...change, gradient };
      const twin = await poissonSolvers.fft({ mesh: settings, boundary, boxSize: BOX, G });
      const period = boundary === "periodic" ? cells : isolatedPeriod(cells, settings.kernel);
      return ofEach(shapesFor(gpu, [period / 2, period]), async (shape) => {
        const { massUnit, totalUnits, rho } = await deposited(stage);
        const problem = { ...settings, boundary, boxSize: BOX, G, massUnit, totalUnits, shape };
        return releasing(PoissonFft.create(gpu, mesh, problem), async (solver) => {
          await solver.encode(gpu.batch("poisson")).submit();
          const expected = twin.potential(rho);
          const how = `transforms by ${shape}`;
          const potential = close(`potential, ${how}`, await readField(gpu, mesh), expected, TRANSFORM);
          if (!spectralGradient) return potential;
          const exact = meshGradient({ gradient: "spectral", h: BOX / cells }, twin, rho, expected);
          return [potential, ...byAxis(close, how, [await readForce(gpu, mesh), exact], TRANSFORM)];
        });
      });
    },
  );
};

const multigrid = (cells: number, boundary: Boundary, order: 2 | 4): Check =>
  onStage(
    {
      name: `Poisson by multigrid, ${boundary}, ${cells}³, order ${order}`,
      part: "poisson",
      twin: "the same two cycles in float64 (engine/reference/mesh/multigrid.ts)",
    },
    { cells, boundary },
    (stage) => {
      const { gpu, mesh } = stage;
      const settings = { ...multigridPresets.default, order, maxCycles: 2 };
      return ofEach([1, walkLength(cells)], async (run) => {
        const { massUnit, totalUnits, rho } = await deposited(stage);
        const problem = { boundary, boxSize: BOX, G, massUnit, totalUnits, multigrid: settings, run };
        return releasing(Multigrid.create(gpu, mesh, problem), async (solver) => {
          if (solver.needsHost) await solver.run();
          else await solver.encode(gpu.batch("multigrid")).submit();
          const expected = new MultigridSolver(cells, BOX, G, boundary, settings).potential(rho);
          return close(`potential, ${run} cells in a run`, await readField(gpu, mesh), expected, MULTIGRID);
        });
      });
    },
  );

const gradient = (scheme: "2-point" | "4-point", boundary: Boundary): Check => ({
  name: `gradient, ${scheme}, ${boundary}`,
  part: "gradient",
  twin: "differences in float64 (engine/reference/mesh/gradient.ts)",
  run: (gpu) => {
    const n = 16;
    const random = pseudoRandom(5);
    const potential = Float32Array.from({ length: n ** 3 }, () => 2 * random() - 1);
    return ofEach([false, true], async (vectors) => {
      const mesh = createMeshBuffers(gpu, wholeBoxGrid(n, boundary), { vectors });
      await gpu.buffers.settle();
      for (let row = 0; row < n * n; row++) {
        gpu.device.queue.writeBuffer(mesh.field, 4 * row * mesh.pitch, potential, row * n, n);
      }
      const { wraps } = mesh.grid.boundary;
      const expected = differenceGradient(Float64Array.from(potential), { n, h: BOX / n, scheme, wraps });
      return ofEach([1, walkLength(n)], async (run) => {
        const created = MeshGradient.create(gpu, mesh, { gradient: scheme, boxSize: BOX, run });
        const force = await releasing(created, async (one) => {
          await one.encode(gpu.batch("gradient")).submit();
          return readForce(gpu, mesh);
        });
        return byAxis(nowhereFar, `${run} in a run${vectors ? ", in vectors" : ""}`, [force, expected], DIFFERENCES);
      });
    });
  },
});

const BOUNDARIES = ["periodic", "isolated"] as const;

export const meshChecks: readonly Check[] = [
  ...BOUNDARIES.map(ordering),
  reading,
  ...BOUNDARIES.map(crowded),
  ...BOUNDARIES.flatMap((boundary) => assignmentNames.map((one) => deposit(one, boundary))),
  poissonByTransform({ cells: 24, boundary: "periodic" }),
  poissonByTransform({ cells: 32, boundary: "periodic", change: { green: "discrete" } }),
  poissonByTransform({ cells: 16, boundary: "periodic", spectralGradient: true }),
  poissonByTransform({ cells: 16, boundary: "isolated" }),
  poissonByTransform({ cells: 24, boundary: "isolated", change: { kernel: "cell-integrated" } }),
  poissonByTransform({ cells: 24, boundary: "isolated", change: { kernel: "split" } }),
  poissonByTransform({ cells: 16, boundary: "isolated", spectralGradient: true }),
  transforms,
  multigrid(16, "isolated", 4),
  multigrid(32, "periodic", 2),
  multigrid(64, "isolated", 2),
  ...BOUNDARIES.flatMap((boundary) => (["2-point", "4-point"] as const).map((one) => gradient(one, boundary))),
];
