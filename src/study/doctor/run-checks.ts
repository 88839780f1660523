/**
 * Runs of a few steps on the adapter beside the same in float64, and the same bits with every kernel variant and in
 * pieces.
 */
import type { Backend, OrbitRow } from "../../engine/backend/backend.ts";
import { DirectPipeline } from "../../engine/direct/pipeline.ts";
import { type DirectPipelineSettings, directDefaults } from "../../engine/direct/settings.ts";
import type { Level } from "../../engine/mesh/levels/level-settings.ts";
import { multigridPresets } from "../../engine/mesh/multigrid/multigrid-settings.ts";
import type { MeshSettings, PairSettings, PipelineSettings } from "../../engine/mesh/settings.ts";
import { MeshPipeline } from "../../engine/pipeline/pipeline.ts";
import { ReferenceDirect } from "../../engine/reference/direct/pipeline.ts";
import { ReferencePipeline } from "../../engine/reference/mesh/pipeline.ts";
import { orbitWatch } from "../../engine/time/orbit-recorder.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ProbeCheck } from "../../foundation/gpu/probe.ts";
import { pinnedShapes, type ShapePins } from "../../foundation/gpu/shapes.ts";
import type { WindowLimits } from "../../foundation/gpu/windows.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import type { Thinned } from "../../physics/particles/thinned.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import { potentials } from "../../physics/potentials/potentials.ts";
import { exponentText } from "../../run/page/numbers.ts";
import {
  asOtherKind,
  BOX,
  type Check,
  type CheckComparison,
  close,
  IN_PIECES,
  LEAST_PIECE,
  nowhereFar,
  ofEach,
  onContext,
  rmsError,
  same,
  someParticles,
  sphere,
} from "./check.ts";

const STEPS = 4;
/** Float32 forces on a coarse mesh over the rms force, measured near 2e-7; radii are of bins 1.1 to 1.6 % wide. */
const ON_MESH = { force: 1e-5, sums: 1e-5, state: 1e-6, radii: 4e-3 };
/** Errors of direct sums in double-single, and in single. */
export const DIRECT_RUN = { "double-single": 1e-6, single: 2e-5 };

/** Of a host's frame. */
const FRAME = {
  times: [-1, 0.02, 1],
  points: [
    [0.3, 0, 0.1],
    [0.1, -0.2, 0],
    [0, 0.1, 0.4],
  ],
};

/** One of each kind that is known, off the middle; those that may turn, turn, some grow. */
function allPotentials(): ExternalPotential[] {
  const values: Record<string, number> = {
    softening: 0.3,
    alpha: 1.8,
    gamma: 1.5,
    flattening: 0.8,
    elongation: 0.7,
    outer: 1.5,
  };
  return potentials.records.map(({ name, keys, turns }, k) => {
    const parameters = Object.fromEntries(Object.keys(keys).map((key) => [key, values[key] ?? 0.5]));
    return {
      kind: name,
      centre: [BOX / 2 + 0.1, BOX / 2 - 0.07 * k, BOX / 2 + 0.05],
      parameters,
      ...(turns && { turn: { speed: 1.3, phase: 0.4 } }),
      ...(k % 3 === 1 && { grow: [-1, 2] as [number, number] }),
      ...(name === "uniform-field" && { acceleration: FRAME }),
    };
  });
}

/** What a few steps lead to, and all that is asked on the way. */
async function history(backend: Backend, dt: number) {
  const start = await backend.readParticles({ accelerations: true, potential: true });
  const { accelerations, potential } = start;
  const before = await backend.sums();
  const extremes = await backend.extremes();
  const atPoints = await backend.fieldAt?.(start.positions.slice(0, 300));
  const ids = Uint32Array.of(1, 17, 40, 300);
  const rows: OrbitRow[] = [];
  await backend.watch?.([orbitWatch({ ids, every: 2, take: (row) => rows.push(row) })]);
  const looks: (Thinned & { step: number })[] = [];
  const look = { watched: true, wanted: () => 7, take: (one: (typeof looks)[number]) => looks.push(one), missed() {} };
  await backend.advance(STEPS, dt, backend.looks ? { look } : {});
  const { positions, velocities } = await backend.readParticles();
  const chosen = await backend.readChosen?.(ids);
  return { accelerations, potential, before, extremes, atPoints, rows, looks, positions, velocities, chosen };
}

type History = Awaited<ReturnType<typeof history>>;

function compared(found: History, expected: History, allowed: typeof ON_MESH): CheckComparison[] {
  /** Nothing where one of them hasn't got it. */
  const both = (what: string, of: (one: History) => ArrayLike<number> | undefined, most: number, by = close) => {
    const [here, there] = [of(found), of(expected)];
    return here && there ? [by(what, here, there, most)] : [];
  };
  const { force, sums, state, radii } = allowed;
  return [
    ...both("accelerations", (one) => one.accelerations, force),
    ...both("potential", (one) => one.potential, force),
    ...both("accelerations at points", (one) => one.atPoints?.accelerations, force),
    ...both("kinetic, potential energy, virial", ({ before: e }) => [e.kinetic, e.potential, e.virial], sums),
    ...both("Lagrangian radii", ({ before }) => before.lagrangianRadii, radii),
    ...both("particles outside", ({ before }) => [before.outside], 0, same),
    ...both("largest acceleration and speed", ({ extremes: most }) => [most.acceleration, most.speed], sums),
    ...both(`positions after ${STEPS} steps`, ({ positions }) => positions, state, nowhereFar),
    ...both(`velocities after ${STEPS} steps`, ({ velocities }) => velocities, force),
    ...(found.chosen && expected.rows.length > 0
      ? [
          ...both("rows of recorded orbits", ({ rows }) => rows.map(({ step }) => step), 0, same),
          ...both("places of recorded orbits", ({ rows }) => rows.flatMap((row) => [...row.positions]), state),
          close("velocities of recorded orbits", found.rows.at(-1)!.velocities, found.chosen.velocities, force),
        ]
      : []),
    ...both(
      "velocities seen on the way",
      ({ looks }) => looks.find(({ step }) => step === STEPS)?.velocities,
      10 * force,
      nowhereFar,
    ),
  ];
}

interface MeshRun {
  name: string;
  mesh?: Partial<MeshSettings>;
  boundary: Boundary;
  mond?: PipelineSettings["mond"];
  levels?: Level[];
  pairs?: PairSettings;
  /** As in GRAVMESH_SHAPES. */
  shapes?: string;
  externalPotentials?: () => ExternalPotential[];
  set?: () => ParticleSet;
  dt?: number;
  /** With the kernels for processors, whatever the adapter is. */
  asProcessor?: boolean;
}

export function meshSettings({
  mesh = {},
  boundary,
  mond,
  levels,
  pairs,
  externalPotentials = () => [],
}: Omit<MeshRun, "name">): PipelineSettings {
  const cells = 16;
  const multigrid = { ...multigridPresets.default, tolerance: 1e-5, maxCycles: 20 };
  return {
    mesh: {
      ...{ cells, assignment: "cic", gradient: "2-point", deposit: "auto", poisson: "fft", green: "exact" },
      ...{ kernel: "cell-integrated", softenedModels: false },
      ...mesh,
    },
    ...{ boundary, boxSize: BOX, G: 1, externalPotentials: externalPotentials() },
    ...(mesh.poisson === "multigrid" && { multigrid }),
    ...(levels && { levels }),
    ...(pairs && { pairs }),
    // One cycle, after which it asks.
    ...(mond && { mond, multigrid: { ...multigrid, tolerance: 0.5 } }),
  };
}

const meshRun = (run: MeshRun): Check => ({
  name: `steps on the mesh, ${run.name}`,
  part: "update",
  twin: "the whole step in float64 (engine/reference/mesh/pipeline.ts)",
  run: async (gpu) => {
    const settings = meshSettings(run);
    const set = run.set?.() ?? someParticles(run.boundary, 1501);
    const dt = run.dt ?? 0.01;
    const historyOf = (backend: Backend) => history(backend, dt);
    const expected = await historyOf(await ReferencePipeline.create(settings, set));
    const found = await onContext(gpu, run.shapes ? { shapes: pinnedShapes(run.shapes) } : {}, (context) =>
      releasing(MeshPipeline.create(context, settings, set), historyOf),
    );
    return compared(found, expected, ON_MESH);
  },
});

const MOND = { interpolation: "simple", a0: 1, externalField: [0.3, -0.2, 0.1] } satisfies Partial<
  PipelineSettings["mond"]
>;

/** With nobody outside: the mass that the reference of a mesh has is that of all. */
const inside = () => sphere(800, 0.2);

const LEVELLED = { cells: 32, gradient: "4-point", kernel: "split" } as const;

/** One level, and two of which one lies in the other, which overlap it and follow some of the particles about a place. */
function overlappingLevels(x: number, substeps = 1): Level[] {
  const level = (parent?: number): Level => ({
    ...{ name: "level", parent, refinement: 2, cells: 48, substeps },
    ...{ follows: [{ first: 0, count: 700 }], place: [x, BOX / 2, BOX / 2] },
  });
  return [{ ...level(), follows: [], place: [x + 0.3, BOX / 2, BOX / 2] }, level(), level(1)];
}

const P3M = { mesh: { cells: 32, assignment: "tsc", gradient: "4-point", kernel: "split" }, dt: 0.002 } as const;
const pairsOf = (softeningKernel: PairSettings["softeningKernel"]) => ({ softening: 0.02, softeningKernel, reach: 5 });

const RUNS: readonly MeshRun[] = [
  { name: "isolated, cic, 2-point", boundary: "isolated" },
  { name: "isolated, tsc, 4-point", mesh: { assignment: "tsc", gradient: "4-point" }, boundary: "isolated" },
  { name: "periodic, cic, 4-point", mesh: { gradient: "4-point" }, boundary: "periodic" },
  { name: "periodic, ngp, spectral", mesh: { assignment: "ngp", gradient: "spectral" }, boundary: "periodic" },
  { name: "isolated, multigrid", mesh: { poisson: "multigrid" }, boundary: "isolated" },
  {
    ...{ name: "isolated, levels", mesh: LEVELLED, boundary: "isolated" },
    ...{ levels: overlappingLevels(BOX / 2), set: () => sphere(800, 0.1), dt: 0.002 },
  },
  {
    ...{ name: "periodic, levels", mesh: { ...LEVELLED, assignment: "tsc" }, boundary: "periodic" },
    ...{ levels: overlappingLevels(BOX / 2), dt: 0.002 },
  },
  {
    ...{ name: "isolated, levels with substeps, external potentials", mesh: LEVELLED, boundary: "isolated" },
    ...{ levels: overlappingLevels(BOX / 2, 3), set: () => sphere(800, 0.2), dt: 0.002 },
    externalPotentials: allPotentials,
  },
  { name: "P³M, periodic, Plummer softening", ...P3M, boundary: "periodic", pairs: pairsOf("plummer") },
  { name: "P³M, isolated, spline", ...P3M, boundary: "isolated", pairs: pairsOf("spline"), shapes: "pairs=tiles" },
  { name: "QUMOND, isolated", mond: { ...MOND, formulation: "qumond" }, boundary: "isolated", set: inside },
  { name: "AQUAL, isolated", mond: { ...MOND, formulation: "aqual" }, boundary: "isolated", set: inside },
  { name: "AQUAL, periodic", mond: { ...MOND, formulation: "aqual" }, boundary: "periodic" },
  {
    name: "in every external potential",
    boundary: "isolated",
    externalPotentials: allPotentials,
    set: () => sphere(800, 0.4),
    dt: 0.002,
  },
];

/** [6N] positions and velocities, as bits, after a few steps. */
const endOf = (context: GpuContext, settings: PipelineSettings, set: ParticleSet): Promise<Float64Array> =>
  releasing(MeshPipeline.create(context, settings, set), async (pipeline) => {
    await pipeline.advance(STEPS, 0.01);
    const { positions, velocities } = await pipeline.readParticles();
    return Float64Array.from([...positions, ...velocities]);
  });

/** Ends of runs that between them have every shape of every kernel: with the first of each stage, with the second, and so on. */
async function* endsByShape(gpu: GpuContext, settings: PipelineSettings, set: ParticleSet, adapter = gpu.adapter) {
  let most = 1;
  for (let k = 0; k < most; k++) {
    const taken = new Set<string>();
    const shapes: ShapePins = {
      pinned(stage, among) {
        most = Math.max(most, among.length);
        const shape = among[k % among.length];
        taken.add(`${stage}=${shape}`);
        return shape;
      },
    };
    const end = await onContext(gpu, { shapes, adapter }, (context) => endOf(context, settings, set));
    yield { end, shapes: [...taken].join("; ") };
  }
}

const everyShape = (run: MeshRun): Check => ({
  name: `every shape of the kernels, ${run.name}`,
  part: "update",
  twin: "the bits of the usual shapes; with transforms of the other kind of adapter, which round differently, within rounding",
  run: async (gpu) => {
    const [settings, set] = [meshSettings(run), someParticles(run.boundary, 3001)];
    const expected = await endOf(gpu, settings, set);
    const again = same("state of a second run", await endOf(gpu, settings, set), expected);
    // Texels, say, are a shape for processors alone.
    const others = await ofEach([gpu.adapter, asOtherKind(gpu)], (adapter) => {
      const kind = adapter === gpu.adapter ? "" : ", those of the other kind of adapter";
      return ofEach(endsByShape(gpu, settings, set, adapter), async ({ end, shapes }) =>
        close(`state with ${shapes}${kind}`, end, expected, kind ? 1e-6 : 0),
      );
    });
    return [again, ...others];
  },
});

/** Forces on a mesh of 16 cells over the rms force; measured values lie near 1e-6. */
const SHORT_FORCE = 2e-5;

/** What `gravmesh doctor` alone checks of steps on the mesh, in seconds. */
export async function shortChecks(gpu: GpuContext): Promise<ProbeCheck[]> {
  const settings = meshSettings({ mesh: { gradient: "4-point" }, boundary: "isolated" });
  const set = sphere(2000, 0.4);
  const forces = async (backend: Backend) => (await backend.readParticles({ accelerations: true })).accelerations!;
  const found = await releasing(MeshPipeline.create(gpu, settings, set), forces);
  const error = rmsError(found, await forces(await ReferencePipeline.create(settings, set)));
  const [first, second] = [await endOf(gpu, settings, set), await endOf(gpu, settings, set)];
  const repeats = same("", second, first).passed;
  const sets: string[] = [];
  const others: string[] = [];
  for await (const { end, shapes } of endsByShape(gpu, settings, set)) {
    sets.push(shapes);
    if (!same("", end, first).passed) others.push(shapes);
  }
  return [
    {
      name: "mesh forces against float64",
      passed: error < SHORT_FORCE,
      detail: `relative rms difference ${exponentText(error)}, at most ${exponentText(SHORT_FORCE)} expected`,
    },
    { name: "identical bits on repetition", passed: repeats, detail: repeats ? "two runs agree" : "two runs differ" },
    {
      name: "identical bits with other kernel shapes",
      passed: others.length === 0,
      detail: others.length === 0 ? `${sets.length} sets of shapes agree` : `others with ${others.join(" and with ")}`,
    },
  ];
}

const inPieces = (run: MeshRun): Check => ({
  name: `mesh and particles in pieces, ${run.name}`,
  part: "windows",
  twin: "the bits of the same in one piece",
  run: async (gpu) => {
    const [settings, set] = [meshSettings(run), run.set?.() ?? someParticles(run.boundary, IN_PIECES)];
    const adapter = run.asProcessor ? { ...gpu.adapter, software: true } : gpu.adapter;
    const endIn = (windows: WindowLimits) =>
      onContext(gpu, { adapter, windows }, (context) => endOf(context, settings, set));
    const expected = await endIn({});
    return ofEach([{ planes: 4, particles: LEAST_PIECE }, { particles: LEAST_PIECE }], async (windows) => {
      const words = Object.entries(windows).map(([what, most]) => `${most} ${what}`);
      return same(`state, at most ${words.join(" and ")} in a piece`, await endIn(windows), expected);
    });
  },
});

interface DirectRun {
  name: string;
  direct: Partial<DirectPipelineSettings["direct"]>;
  count?: number;
  externalPotentials?: () => ExternalPotential[];
  /** Pair interactions that a submission takes on: fewer than a force has, and it is summed in rounds. */
  interactions?: number;
  loop?: "one" | "many";
}

const directRun = ({ name, direct, count = 400, externalPotentials, interactions, loop }: DirectRun): Check => ({
  name: `direct sum, ${name}`,
  part: "direct",
  twin: "the same block steps in float64 (engine/reference/direct/pipeline.ts)",
  run: async (gpu) => {
    const step = 2 ** -8;
    const settings: DirectPipelineSettings = {
      direct: { ...directDefaults, softening: 0.02, ...direct },
      ...{ boxSize: BOX, G: 1, externalPotentials: externalPotentials?.() ?? [], step },
    };
    const set = sphere(count, 0.4);
    const expected = await history(new ReferenceDirect(settings, set), step);
    const options = { ...(interactions && { interactionsPerSubmission: interactions }), ...(loop && { loop }) };
    const created = DirectPipeline.create(gpu, settings, set, options);
    const found = await releasing(created, (pipeline) => history(pipeline, step));
    const force = DIRECT_RUN[settings.direct.precision];
    return compared(found, expected, { force, sums: force, state: force, radii: force });
  },
});

const DIRECT_RUNS: readonly DirectRun[] = [
  { name: "Hermite 4, block steps", direct: {} },
  { name: "Hermite 4, adaptive steps, single", direct: { steps: "adaptive", precision: "single" } },
  { name: "Hermite 6, block steps, in rounds", direct: { integrator: "hermite-6" }, interactions: 40_000 },
  { name: "leapfrog, shared steps", direct: { integrator: "leapfrog", steps: "shared" }, loop: "many" },
  {
    name: "Hermite 6 in every external potential",
    direct: { integrator: "hermite-6" },
    externalPotentials: allPotentials,
  },
  { name: "Hermite 4 in a field that changes", direct: {}, externalPotentials: allPotentials },
];

export const runChecks: readonly Check[] = [
  ...RUNS.map(meshRun),
  everyShape({ ...RUNS[0], name: "isolated, cic" }),
  everyShape({
    name: "periodic, tsc, spectral",
    mesh: { assignment: "tsc", gradient: "spectral" },
    boundary: "periodic",
  }),
  inPieces({
    ...{ name: "isolated, levels", mesh: LEVELLED, boundary: "isolated" },
    ...{ levels: overlappingLevels(BOX / 2), set: () => sphere(IN_PIECES, 0.1) },
  }),
  inPieces({ name: "isolated, tsc", mesh: { assignment: "tsc" }, boundary: "isolated", asProcessor: true }),
  inPieces({ name: "periodic, cic, multigrid", mesh: { poisson: "multigrid" }, boundary: "periodic" }),
];

/** Checks of direct sums; without double-single arithmetic single precision alone is there. */
export const directRunChecks = (precision: "single" | "double-single"): readonly Check[] =>
  DIRECT_RUNS.filter(({ direct }) => precision === "double-single" || direct.precision === "single").map(directRun);
