/** The first part of a validation: the mesh's accelerations at the first step against exact and softened ones. */

import { relativeDifference } from "../../engine/diagnostics/differences.ts";
import { centreOfMass } from "../../engine/diagnostics/profiles.ts";
import { unlessAborted } from "../../foundation/base/errors.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { ComponentRange, ParticleSet } from "../../physics/particles/state.ts";
import { levelRegions, levelSizes } from "../../scenario/level-sizes.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { type ExactForces, type ExactForcesOptions, exactForces } from "./exact.ts";
import {
  bestSoftening,
  type ForceErrors,
  forceErrors,
  quantile,
  shellEdges,
  type TriedSoftening,
} from "./force-errors.ts";
import type { ForceComparison, LevelErrors } from "./record.ts";
import { isOutside, sampleOf } from "./sample.ts";

export interface ForceRequest extends Pick<ExactForcesOptions, "simulation" | "particles" | "gpu" | "note"> {
  /** [3N] on the mesh [velocity/time]. */
  accelerations: Float32Array;
  /** Targets; as many as `seconds` allow when left out. */
  targets?: number;
  /** ε of the first comparison [length]. */
  softening: number;
  /** About how long the sums may take [s]. */
  seconds: number;
  signal: AbortSignal;
  onProgress: (what: string, fraction: number) => void;
}

/** What validate.csv lists of the targets, in their order. */
export type TargetTable = NonNullable<Awaited<ReturnType<typeof compareForces>>>["table"];

/** Softenings that are tried [cells]. */
const TRIED = [0.1, 0.2, 0.3, 0.4, 0.5, 0.63, 0.8, 1, 1.4, 2, 3];
/** What they are about, in a mesh: with pairs the same about ε. */
const MIDDLE = 0.63;
const triedIn = ({ gravity, p3m, box, mesh }: Scenario): number[] => {
  const middle = gravity === "p3m" ? (p3m.softening * mesh.cells) / box.size : MIDDLE;
  return TRIED.map((cells) => (cells / MIDDLE) * middle);
};
/** Share of the targets that each is tried on. */
const TRIED_SHARE = 1 / 8;
const LEAST_TRIED = 256;
const LEAST_TARGETS = 256;
/** Fewer targets tell nothing of a component. */
const LEAST_OF_COMPONENT = 16;
/** Targets of the first look at the speed, and how long a telling look lasts [ms]. */
const FIRST_LOOK = 64;
const TELLING = 250;
const PARTS = 16;
const SHELLS = 24;

/** Compares; undefined when nothing was measured before an interruption. Throws what makes it fail. */
export function compareForces(request: ForceRequest) {
  const { simulation, particles, accelerations, gpu, signal, onProgress, note } = request;
  const { scenario } = simulation;
  const started = performance.now();
  const control = { onProgress: (fraction: number) => onProgress("exact forces", fraction), signal };
  const comparing = releasing(exactForces({ simulation, particles, gpu, control, note }), async (exact) => {
    const wanted = request.targets ?? (await affordableTargets(exact, particles, request));
    const ids = sampleOf(particles.count, wanted);
    const plain = await evaluate(exact, ids, request.softening, request, "direct sum");
    const done = plain.length / 3;
    if (done === 0) return undefined;
    const { parts, of } = await meshParts(simulation, particles);
    const cell = Math.min(...parts.map((part) => part.cell));
    const mesh = Float64Array.from(plain, (_, k) => accelerations[3 * ids[Math.floor(k / 3)] + (k % 3)]);
    const targets = ids.subarray(0, done);
    const places = Array.from(targets, of);
    const cells = places.map((place) => parts[place].cell);
    const centre = centreOfMass(particles);
    const { positions } = particles;
    const radii = Float64Array.from(targets, (id) => Math.hypot(...centre.map((c, k) => positions[3 * id + k] - c)));
    const strengths = Float64Array.from(radii, (_, i) => Math.hypot(...plain.subarray(3 * i, 3 * i + 3)));
    const rms = Math.sqrt(strengths.reduce((sum, a) => sum + a * a, 0) / done);
    const periodic = scenario.box.boundary === "periodic";
    const abscissa = periodic ? strengths.map((a) => a / rms) : radii;
    const edges = shellEdges(abscissa, Math.min(SHELLS, Math.max(1, Math.floor(done / 8))));
    const errors = (direct: Float64Array, softening: number): ForceErrors =>
      forceErrors({ mesh, direct, abscissa, edges, softening, cell });
    const { bestOf, ...softenings } = await trySoftenings(exact, mesh, { ids: targets, cells }, request);
    const comparison: ForceComparison = {
      ...{ targets: done, sources: particles.count, method: exact.method, precision: exact.precision },
      ...{ against: periodic ? "strength" : "radius", rmsAcceleration: rms },
      ...{ outside: targets.filter((id) => isOutside(particles, id, scenario)).length, seconds: 0 },
      ...{ plain: errors(plain, request.softening), fitted: null },
      ...{ byLevel: null, components: [], ...softenings },
    };
    let fitted: Float64Array = new Float64Array(0);
    if (comparison.tried.length > 0) {
      const softening = bestSoftening(comparison.tried);
      const found = await evaluateSoftened(exact, { ids: targets, cells }, softening, request);
      if (found.length === plain.length) {
        fitted = found;
        comparison.fitted = errors(fitted, softening * cell);
        if (parts.length > 1) comparison.byLevel = byLevel(parts, places, { mesh, fitted, softening });
        const all = { targets, positions, cells, sums: { mesh, plain, fitted } };
        const ofComponent = ({ name, first, count }: ComponentRange) => {
          const rows = [...targets.keys()].filter((i) => targets[i] >= first && targets[i] < first + count);
          const best = bestOf(rows);
          return best === null ? [] : [{ name, softeningCells: best, ...componentErrors(all, rows, periodic) }];
        };
        comparison.components = particles.components.flatMap(ofComponent);
      }
    }
    comparison.seconds = (performance.now() - started) / 1000;
    /** Distances from the centre of mass [length], accelerations [3K]; `fitted` is empty where an interruption came before. */
    const table = { ids: targets, radii, mesh, plain, fitted };
    return { comparison, table };
  });
  return unlessAborted(comparing);
}

/** A power of two, so that the sample rarely depends on how busy the machine is; all particles when that is affordable. */
async function affordableTargets(
  exact: ExactForces,
  { count }: ParticleSet,
  { softening, seconds, signal }: ForceRequest,
): Promise<number> {
  let targets = Math.min(count, FIRST_LOOK);
  await exact.accelerations(sampleOf(count, targets, 0xfffe), softening, { signal }); // compiles, chooses kernels
  for (;;) {
    const started = performance.now();
    await exact.accelerations(sampleOf(count, targets, 0xfffe), softening, { signal });
    const ms = performance.now() - started;
    if (ms >= TELLING || targets === count) {
      const passes = 2 + TRIED.length * TRIED_SHARE;
      const affordable = (targets * 1000 * seconds) / (passes * ms);
      return affordable >= count ? count : Math.max(LEAST_TARGETS, 2 ** Math.floor(Math.log2(affordable)));
    }
    targets = Math.min(count, 4 * targets);
  }
}

/** [3K] on as many of the targets as were done before an interruption. */
async function evaluate(
  exact: ExactForces,
  ids: Uint32Array,
  softening: number,
  { signal, onProgress }: ForceRequest,
  what: string,
): Promise<Float64Array> {
  const found = new Float64Array(3 * ids.length);
  const length = Math.max(FIRST_LOOK, Math.ceil(ids.length / PARTS));
  for (let first = 0; first < ids.length; first += length) {
    const rows = ids.subarray(first, first + length);
    const report = (fraction: number) => onProgress(what, (first + fraction * rows.length) / ids.length);
    const some = await unlessAborted(exact.accelerations(rows, softening, { signal, onProgress: report }));
    if (!some) return found.subarray(0, 3 * first);
    found.set(some, 3 * first);
  }
  return found;
}

/** The same with a softening in cells of where each target is; of all targets, or of none after an interruption. */
async function evaluateSoftened(
  exact: ExactForces,
  { ids, cells }: { ids: Uint32Array; cells: readonly number[] },
  softening: number,
  request: ForceRequest,
): Promise<Float64Array> {
  const found = new Float64Array(3 * ids.length);
  for (const cell of new Set(cells)) {
    const rows = Uint32Array.from(ids.keys()).filter((i) => cells[i] === cell);
    const own = rows.map((i) => ids[i]);
    const some = await evaluate(exact, own, softening * cell, request, "softened sum");
    if (some.length < 3 * rows.length) return new Float64Array(0);
    for (const [k, i] of rows.entries()) found.set(some.subarray(3 * k, 3 * k + 3), 3 * i);
  }
  return found;
}

/** Meshes that forces come from (the box's; the core of a level, or the blend around it) with their cells, and the number of a particle's. */
async function meshParts(simulation: Simulation, { positions }: ParticleSet) {
  const { scenario } = simulation;
  const { box, mesh, level } = scenario;
  const parts = [{ name: "box", cell: box.size / mesh.cells }];
  if (level.length === 0) return { parts, of: () => 0 };
  for (const { name, h } of levelSizes(scenario)) {
    for (const where of ["blend", "core"]) parts.push({ name: `${name}: ${where}`, cell: h });
  }
  const regions = await levelRegions(simulation);
  const of = (id: number) => {
    const { level: at, blend } = regions(positions, id);
    return at === undefined ? 0 : 2 * at + (blend ? 1 : 2);
  };
  return { parts, of };
}

/** Errors of the targets by part; parts without targets are left out. */
function byLevel(
  parts: readonly Pick<LevelErrors, "name" | "cell">[],
  places: readonly number[],
  { mesh, fitted, softening }: { mesh: Float64Array; fitted: Float64Array; softening: number },
): LevelErrors[] {
  return parts.flatMap(({ name, cell }, p) => {
    const rows = places.flatMap((place, i) => (place === p ? [i] : []));
    if (rows.length === 0) return [];
    const [own, direct] = [mesh, fitted].map((all) => rowsOf(all, rows));
    const pair = { mesh: own, direct, abscissa: rows, edges: [], softening: softening * cell, cell };
    const { relative, along } = forceErrors(pair);
    return [{ name, cell, targets: rows.length, relative, along: along.mean }];
  });
}

interface Evaluated {
  targets: Uint32Array;
  positions: ArrayLike<number>;
  /** Side of the cells at each target [length]. */
  cells: readonly number[];
  sums: Record<"mesh" | "plain" | "fitted", Float64Array>;
}

/** Median errors of a component's targets, those within its half-mass radius in an isolated box. */
function componentErrors({ targets, positions, cells, sums }: Evaluated, rows: number[], periodic: boolean) {
  const axes = [0, 1, 2].map((k) => rows.map((i) => positions[3 * targets[i] + k]));
  const centre = axes.map((values) => quantile(values, 0.5));
  const radii = rows.map((_, n) => Math.hypot(...axes.map((values, k) => values[n] - centre[k])));
  const halfMassRadius = periodic ? null : quantile(radii, 0.5);
  const inside = rows.filter((_, n) => halfMassRadius === null || radii[n] <= halfMassRadius);
  const against = (sum: Float64Array) => {
    const [mesh, direct] = [sums.mesh, sum].map((of) => rowsOf(of, inside));
    return forceErrors({ mesh, direct, abscissa: inside, edges: [], softening: 0, cell: 1 }).relative.median;
  };
  const errors = { plain: against(sums.plain), fitted: against(sums.fitted) };
  return {
    targets: rows.length,
    halfMassRadius,
    cell: quantile(
      inside.map((i) => cells[i]),
      0.5,
    ),
    ...errors,
  };
}

/** What each softening leaves between mesh and sum, and the best along each axis and of each component; none after an interruption. */
async function trySoftenings(
  exact: ExactForces,
  mesh: Float64Array,
  { ids, cells }: { ids: Uint32Array; cells: readonly number[] },
  request: ForceRequest,
) {
  const triedOn = Math.min(ids.length, Math.max(LEAST_TRIED, Math.floor(TRIED_SHARE * ids.length)));
  const some = { ids: ids.subarray(0, triedOn), cells: cells.slice(0, triedOn) };
  const onMesh = mesh.subarray(0, 3 * triedOn);
  const softenings = triedIn(request.simulation.scenario);
  const sums: Float64Array[] = [];
  for (const [n, softening] of softenings.entries()) {
    request.onProgress("softening", n / softenings.length);
    const direct = await evaluateSoftened(exact, some, softening, { ...request, onProgress: () => {} });
    if (direct.length < 3 * triedOn) return { tried: [], triedOn, softeningByAxis: null, bestOf: () => null };
    sums.push(direct);
  }
  const tried = (part: (of: Float64Array) => Float64Array, width: 1 | 3): TriedSoftening[] =>
    sums.map((sum, n) => ({ cells: softenings[n], rms: relativeDifference(part(sum), part(onMesh), width).rms }));
  const [x, y, z] = [0, 1, 2].map((axis) => bestSoftening(tried((of) => component(of, axis), 1)));
  /** Of these targets, as far as they are among those that softenings were tried on [cells]. */
  const bestOf = (targets: readonly number[]) => {
    const known = targets.filter((i) => i < triedOn);
    return known.length < LEAST_OF_COMPONENT ? null : bestSoftening(tried((of) => rowsOf(of, known), 3));
  };
  return { tried: tried((of) => of, 3), triedOn, softeningByAxis: [x, y, z] as [number, number, number], bestOf };
}

/** [3K] of [3N, xyzxyz…] */
function rowsOf(vectors: Float64Array, rows: readonly number[]): Float64Array {
  return Float64Array.from({ length: 3 * rows.length }, (_, k) => vectors[3 * rows[Math.floor(k / 3)] + (k % 3)]);
}

/** [N] of [3N, xyzxyz…] */
function component(vectors: Float64Array, axis: number): Float64Array {
  return Float64Array.from({ length: vectors.length / 3 }, (_, i) => vectors[3 * i + axis]);
}
