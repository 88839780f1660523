/** summary.json: what a run was and how it went. The keys are stable; docs/summary.md lists them. */
import type { StageTime } from "../engine/backend/backend.ts";
import type { ConservedQuantity } from "../engine/diagnostics/columns/column.ts";
import type { DiagnosticsRow } from "../engine/diagnostics/columns.ts";
import { version } from "../foundation/base/version.ts";
import { JOINT_STAGES } from "../foundation/ranks/ranks.ts";
import { assignmentNames } from "../physics/particles/assignments.ts";
import type { Boundary } from "../physics/particles/box.ts";
import { keptBy } from "../scenario/conserved.ts";
import { physicsNotes, scenarioNotes } from "../scenario/remarks.ts";
import type { Diagnostics, Simulation } from "../scenario/simulation/simulation.ts";
import { type PartSeconds, type RunTraffic, totalSeconds } from "./accounts.ts";
import { encountersOf } from "./encounters.ts";
import { warningsOf } from "./health.ts";
import type { LevelFigures } from "./level-events.ts";
import type { GalaxyHistory, MeasuredGalaxy } from "./outputs/galaxies.ts";
import { pairFigures } from "./pair-figures.ts";
import type { Status } from "./results.ts";

export interface RunRecord {
  status: Status;
  levels: readonly LevelFigures[];
  /** In the order of diagnostics.csv. */
  rows: readonly DiagnosticsRow[];
  last: Diagnostics;
  snapshots: readonly { file: string; time: number }[];
  components: GalaxyHistory | undefined;
  /** Of all sessions together. */
  seconds: PartSeconds;
  stages: readonly StageTime[];
  /** Of the last session, of each rank; empty of a process by itself. */
  stagesOfRanks: readonly (readonly StageTime[])[];
  /** Steps of that session. */
  stepsHere: number;
  /** Of all sessions together; undefined on the CPU. */
  traffic: RunTraffic | undefined;
  /** Warnings of the particles at the start. */
  found: readonly string[];
  /** The command that goes on; null of a complete run. */
  resume: string | null;
  files: readonly string[];
  resumes: number;
  started: Date;
  finished: Date;
}

/** Every key of summary.json and what it holds. */
export const SUMMARY_KEYS = {
  title: "title of the deck",
  status:
    '"complete"; "interrupted" with a checkpoint for --resume; "failed" when the energy error exceeds time.maxEnergyError, with the files written so far',
  version: "version of gravmesh",
  node: "version of Node",
  started: "start of the last session, ISO 8601",
  finished: "its end, ISO 8601",
  backend: '"webgpu" or "cpu"',
  adapter:
    "vendor, architecture, device, description and software (true for a driver that runs on the CPU); null on the CPU",
  ranks: "processes that shared the particles; adapter, memory, stage times and traffic are those of rank 0",
  rankAdapters: "with several ranks the adapter of each; empty for a single process",
  rankHosts: "likewise the machine of each",
  solvers: "which ranks solved the mesh, in words; null for a single process",
  particles: "number of particles",
  mass: "their mass in all [mass]",
  gravity: '"mesh", "p3m" or "direct"',
  cells: "mesh cells per side; null with direct summation",
  levels:
    "[[level]] tables: name, around (null: it stays), within (the level that it lies in, or null), cells per side, refinement, h (side of its cells) and coreHalfWidth [length], share (of all particles, in its force at the end), followed (share of its target in its core at the end; null: it stays), bytes (of its meshes on a GPU); empty without any",
  boundary: '"isolated" or "periodic"',
  assignment: `${assignmentNames.map((name) => JSON.stringify(name)).join(", ")}; null with direct summation`,
  time: "simulated time reached [time]",
  steps: "steps taken",
  resumes: "how often the run was resumed from a checkpoint",
  continued: "ends that the run had before it was continued to a later one [time]; empty in most runs",
  wallSeconds:
    "wall time of the whole command, from its start to this file, all sessions together [s]; the sum of the next four",
  preparationSeconds:
    "of that, before the first step: adapter, initial conditions, pipeline; likewise after a resume [s]",
  stepSeconds: "of that, in steps [s]",
  outputSeconds: "of that, in diagnostics, snapshots, spectra and checkpoints [s]",
  endSeconds: "of that, after the last step: haloes, report [s]",
  stepsPerSecond: "steps over stepSeconds [1/s]",
  particleUpdatesPerSecond: "particles times steps (with direct summation: particle steps) over stepSeconds [1/s]",
  counters:
    "counts of sums: blocks, particle steps, interactions; with P³M pairs of particles, and how often they were summed, on several ranks also the pairs of the rank that had the most each time; empty with the mesh",
  pairs:
    "with P³M: softening [length] and softeningCells; perParticleAndStep, the pairs summed for a particle in a step, substeps included (null on the CPU); share of the time of all stages (null where the device has no timestamp-query); null otherwise",
  stages:
    "time per stage of the step, a level's by its name: stage, milliseconds in all, millisecondsPerStep; empty where the device has no timestamp-query. With several ranks those of rank 0, and slowest: the slowest rank of a stage in the last session, its milliseconds and millisecondsPerStep",
  communication:
    "time spent on other ranks by rank 0, packing included: total milliseconds, millisecondsPerStep, share of stepSeconds; null for a single process",
  traffic:
    "traffic between host and device without preparation, all sessions together: total submissions, waits and bytesRead (back to the host); inSteps: the same for steps only, without outputs and checkpoints; perStep: that over the steps; null on the CPU",
  memory: "bytes held: total, particles, mesh, other, bytesPerParticle, bytesPerCell",
  energyError: "relative energy error at the end, as energy_error of diagnostics.csv",
  conserved:
    "quantity of energyError: energy; jacobi, the integral of a bar that turns steadily; none, where external potentials change the energy, which is then no error",
  field:
    "external potentials: none; central, spheres about the centre of the box, which conserve the angular momentum; axial, axisymmetric about the z axis through it, which conserve its z component; any others, which conserve neither",
  largestEnergyError: "the largest size of energy_error in diagnostics.csv",
  momentumError:
    "drift of the momentum at the end over √(2 K M) (docs/diagnostics.md); where field isn't none the change by the field, which is no error",
  angularMomentumError:
    "change of the angular momentum about the centre of the box over r √(2 K M), K and r (which holds 90 % of the mass about its centre) the larger ones of start and end; of its z component where field is axial; where field is any the change by the field, which is no error; null in a periodic box, where it is undefined",
  outside: "particles outside an isolated mesh at the end",
  warnings:
    "doubts about the accuracy, a sentence each, as on the terminal, in the report and on pages: models that the force doesn't resolve, steps that are too long for them, galaxies that overlap, a lattice off the mesh or under the spectral gradient, levels that act on no particle or have lost their target, more than 1 % of the particles outside the mesh at the start, more than 5 % that have left it since, an energy error above 1 % (comoving: above 5 % at the end)",
  notes:
    "consequences of the deck, a sentence each: mass lost by the cut-off of a live sphere, extent of levels, the k up to which a box's power is right, massive neutrinos, cost of a direct sum",
  encounters:
    "orbits that galaxies were placed on: name, of (the galaxy that it is about), field (actual, or of points), masses of both [mass], pericentre and separation [length], eccentricity, untilPericentre (from the start; null in a resumed run of galaxies from files) [time], held (the other one can't move); empty without any",
  components:
    "of several components in an isolated box, as components.csv has them: name, first and last (each r10, r50, r90 [length] and virial); empty otherwise",
  snapshots: "file and time [time] of each snapshot",
  resume: "the command that continues an interrupted run; null for a complete one",
  files:
    "names of the run's files, without checkpoints; --resume checks those of a complete run, and regenerates missing ones",
} as const;

export type Summary = ReturnType<typeof summaryOf>;

export function summaryOf(simulation: Simulation, record: RunRecord) {
  const { scenario, step, particleCount } = simulation;
  const { boundary } = scenario.box;
  const { rows, last, seconds } = record;
  const counters = simulation.counters();
  const memory = simulation.memory();
  const onMesh = scenario.gravity !== "direct";
  return {
    title: scenario.title,
    status: record.status,
    version,
    node: process.version,
    started: record.started.toISOString(),
    finished: record.finished.toISOString(),
    backend: simulation.backend,
    adapter: simulation.adapter ?? null,
    ranks: simulation.ranks,
    rankAdapters: simulation.sharing?.adapters ?? [],
    rankHosts: simulation.sharing?.hosts ?? [],
    solvers: simulation.sharing?.solvers ?? null,
    particles: particleCount,
    mass: last.mass,
    gravity: scenario.gravity,
    cells: onMesh ? scenario.mesh.cells : null,
    levels: record.levels,
    boundary,
    assignment: onMesh ? scenario.mesh.assignment : null,
    time: simulation.time,
    steps: step,
    resumes: record.resumes,
    continued: scenario.time.continued,
    wallSeconds: totalSeconds(seconds),
    preparationSeconds: seconds.preparation,
    stepSeconds: seconds.steps,
    outputSeconds: seconds.outputs,
    endSeconds: seconds.end,
    stepsPerSecond: over(step, seconds.steps),
    particleUpdatesPerSecond: over(counters["particle steps"] ?? step * particleCount, seconds.steps),
    counters,
    pairs: pairFigures(simulation, record.stages),
    stages: stagesInOrder(record.stages).map(({ stage, ms }) => ({
      stage,
      milliseconds: ms,
      millisecondsPerStep: over(ms, step),
      ...(record.stagesOfRanks.length > 0 && { slowest: slowestIn(stage, record) }),
    })),
    communication: simulation.ranks > 1 ? communicationOf(record.stages, step, seconds.steps) : null,
    traffic: trafficOf(record.traffic),
    memory: {
      ...memory,
      bytesPerParticle: over(memory.particles, particleCount),
      bytesPerCell: onMesh ? memory.mesh / scenario.mesh.cells ** 3 : 0,
    },
    energyError: last.relativeEnergyError,
    ...keptBy(scenario),
    largestEnergyError: rows.reduce((largest, row) => Math.max(largest, Math.abs(row.relativeEnergyError)), 0),
    momentumError: last.momentumError,
    angularMomentumError: angularMomentumError(rows[0] ?? last, last, { ...keptBy(scenario), boundary }),
    outside: last.outside,
    warnings: warningsOf(scenario, { particles: particleCount, rows, found: record.found }),
    notes: [...scenarioNotes(scenario), ...physicsNotes(simulation.components)],
    encounters: encountersOf(simulation).encounters,
    components: componentsOf(record),
    snapshots: record.snapshots,
    resume: record.resume,
    files: record.files,
  } satisfies Record<keyof typeof SUMMARY_KEYS, unknown>;
}

/** As `SUMMARY_KEYS` says; null too where nothing moves, or all is in one point. */
export function angularMomentumError(
  first: Pick<DiagnosticsRow, "kinetic" | "angularMomentum" | "lagrangianRadii">,
  last: Pick<Diagnostics, "mass" | "kinetic" | "angularMomentum" | "lagrangianRadii">,
  { field, boundary }: Pick<ConservedQuantity, "field"> & { boundary: Boundary },
): number | null {
  if (boundary === "periodic") return null;
  const larger = (of: (row: typeof first) => number) => Math.max(of(first), of(last));
  const scale =
    larger(({ lagrangianRadii }) => lagrangianRadii.at(-1)!) *
    Math.sqrt(2 * last.mass * larger(({ kinetic }) => kinetic));
  const changed = last.angularMomentum.map((now, axis) => now - first.angularMomentum[axis]);
  return scale > 0 ? Math.hypot(...(field === "axial" ? [changed[2]] : changed)) / scale : null;
}

function componentsOf({ components }: RunRecord) {
  const figures = ({ radii: [r10, r50, r90], virial }: MeasuredGalaxy) => ({ r10, r50, r90, virial });
  const [first, last] = [components?.rows[0], components?.rows.at(-1)];
  if (!components || !first || !last) return [];
  return components.names.map((name, k) => ({
    name,
    first: figures(first.galaxies[k]),
    last: figures(last.galaxies[k]),
  }));
}

function slowestIn(stage: string, { stagesOfRanks, stepsHere }: RunRecord) {
  const times = stagesOfRanks.map((stages) => stages.find((one) => one.stage === stage)?.ms ?? 0);
  const milliseconds = Math.max(...times);
  return { rank: times.indexOf(milliseconds), milliseconds, millisecondsPerStep: over(milliseconds, stepsHere) };
}

function communicationOf(stages: readonly StageTime[], steps: number, seconds: number) {
  const names: readonly string[] = Object.values(JOINT_STAGES);
  const milliseconds = stages.filter(({ stage }) => names.includes(stage)).reduce((sum, { ms }) => sum + ms, 0);
  return { milliseconds, millisecondsPerStep: over(milliseconds, steps), share: over(milliseconds, 1000 * seconds) };
}

function trafficOf(traffic: RunTraffic | undefined) {
  if (!traffic) return null;
  const { all, steps, counted } = traffic;
  const [submissions, waits, bytesRead] = [steps.submissions, steps.waits, steps.bytesRead].map((n) =>
    over(n, counted),
  );
  return { ...all, inSteps: steps, perStep: { submissions, waits, bytesRead } };
}

/** The stages in the order of the step. */
const STAGES: readonly string[] = [
  ...["order", "deposit", "poisson", "gradient", "levels", "update", "orbits"],
  ...Object.values(JOINT_STAGES),
  ...["schedule", "predict", "force", "correct"],
  "diagnostics",
];

export function stagesInOrder<T extends { stage: string }>(stages: readonly T[]): T[] {
  const known = (stage: string) => STAGES.indexOf(stage.startsWith("level ") ? "levels" : stage);
  const place = ({ stage }: T) => (known(stage) < 0 ? STAGES.length : known(stage));
  return [...stages].sort((a, b) => place(a) - place(b));
}

/** 0 where there is nothing to divide by. */
const over = (amount: number, by: number) => (by > 0 ? amount / by : 0);
