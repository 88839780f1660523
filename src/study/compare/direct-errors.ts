/**
 * How far the accelerations of each variant are from a direct sum, on the same random sample of particles: at the first
 * step, and at the end, each at the places of its own particles. In float64 on the CPU, whatever the variants run on,
 * with the same softenings for all, so that the sums take nothing from a variant's engine and none is favoured.
 *   rms     = √(Σ|Δ|² / Σ|a|²), Δ = a − a_direct           median of |Δ|/|a_direct|
 * A mesh is like no one softening of a sum: the sum is done with several, and each variant has the one that it is nearest
 * to, the vertex of a parabola through the lowest three squares, with its error against the sum interpolated to there.
 */
import { median } from "d3-array";
import { softeningAt } from "../../engine/direct/softening.ts";
import { isAborted } from "../../foundation/base/errors.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { messageOf } from "../../run/failure.ts";
import { smallestCell } from "../../scenario/resolution.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { exactForces } from "../validate/exact.ts";
import { bestSoftening } from "../validate/force-errors.ts";
import { isOutside, sampleOf } from "../validate/sample.ts";
import type { DirectError, DirectReference } from "./record.ts";

/** With each softening: |Δ|² of each particle of the sample over the mean |a_direct|²; NaN of those outside the mesh. */
export type SquaredErrors = Float64Array[];

interface DirectRequest {
  /** Particles of the sample; by time when left out. */
  targets: number | undefined;
  /** ε of the sums [length], ascending, and the one that tables are of. */
  softenings: readonly number[];
  softening: number;
  /** ε keeps this length in an expanding box, and what is tried is scaled with it. */
  maxPhysicalSoftening?: number;
  signal: AbortSignal;
  report: (what: string) => void;
  /** Something to know about the sums, or why there are none. */
  note: (text: string) => void;
}

type Accelerated = ParticleSet & { accelerations?: Float32Array };

/** Pairs that all sums of a moment have together; the sample's size follows, as a power of two. */
const PAIRS = 2 ** 27;
const TARGETS = { least: 64, most: 4096 };
/** Softening of the sum where the deck has none [cells]: about what a mesh acts like. */
const CELLS = 0.5;
/** Those that are tried: from 0.2 of the finest cells to 1 of the coarsest, in steps of this factor. */
const STEP = 10 ** 0.1;
const BELOW = 4;
const ABOVE = 3;

/** The smallest softening of the variants' own direct sums or pairs, or else half a cell of the finest mesh [length]. */
export function referenceSoftening(scenarios: readonly Scenario[]): number {
  const own = scenarios.flatMap(({ gravity, direct, p3m }) =>
    gravity === "mesh" ? [] : (gravity === "p3m" ? p3m : direct).softening,
  );
  if (own.length > 0) return Math.min(...own);
  return CELLS * Math.min(...scenarios.map(smallestCell));
}

/** Softenings about those that these meshes act like, and `softening` [length], ascending. */
export function softeningsFor(scenarios: readonly Scenario[], softening: number): number[] {
  const cells = scenarios.map(smallestCell);
  const finest = Math.min(...cells);
  const above = ABOVE + Math.ceil(Math.log(Math.max(...cells) / finest) / Math.log(STEP));
  const tried = Array.from({ length: BELOW + above + 1 }, (_, i) => CELLS * finest * STEP ** (i - BELOW));
  return [...tried.filter((one) => Math.abs(one / softening - 1) > 1e-6), softening].sort((a, b) => a - b);
}

/** The direct sums of a comparison; a failure of theirs is a note, not one of the variants. */
export class DirectErrors {
  /** What they were, for the record; null before the first. */
  reference: DirectReference | null = null;
  #ids: Uint32Array | undefined;
  #off = false;
  /** At the first step all variants of a boundary have their particles in the same places. */
  readonly #first = new Map<string, Float64Array[]>();

  constructor(private readonly request: DirectRequest) {}

  async of(
    simulation: Simulation,
    particles: Accelerated,
    moment: "start" | "end",
  ): Promise<{ error: DirectError; squares: SquaredErrors } | undefined> {
    if (this.#off || !particles.accelerations) return undefined;
    const { boundary } = simulation.scenario.box;
    const started = performance.now();
    try {
      const known = moment === "start" ? this.#first.get(boundary) : undefined;
      const exact = known ?? (await this.#sums(simulation, particles));
      if (moment === "start") this.#first.set(boundary, exact);
      this.reference!.seconds += (performance.now() - started) / 1000;
      return this.#errors(particles, exact, simulation);
    } catch (error) {
      if (isAborted(error)) return undefined;
      this.#off = true;
      this.request.note(`Not compared with a direct sum: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** [3K] on the sample, which is chosen at the first call, with each softening. */
  async #sums(simulation: Simulation, particles: ParticleSet): Promise<Float64Array[]> {
    const { signal, report, note, targets, softening, softenings } = this.request;
    report("direct sums");
    const control = { signal };
    const made = exactForces({ simulation, particles, gpu: undefined, control, note, fineness: "quick" });
    return releasing(made, async (exact) => {
      const { count } = particles;
      const within = 2 ** Math.floor(Math.log2(PAIRS / (count * softenings.length)));
      this.#ids ??= sampleOf(count, targets ?? Math.max(TARGETS.least, Math.min(TARGETS.most, within)));
      const { size } = simulation.scenario.box;
      this.reference ??= {
        ...{ method: exact.method, softening, softenings: [...softenings], targets: this.#ids.length, seconds: 0 },
        softeningCells: (softening * simulation.scenario.mesh.cells) / size,
      };
      const sums: Float64Array[] = [];
      const scale = this.#scaleAt(simulation.time);
      for (const one of softenings) sums.push(await exact.accelerations(this.#ids, scale * one, control));
      return sums;
    });
  }

  /** ε at a time over that of the tables. */
  #scaleAt(time: number): number {
    return softeningAt(this.request, time) / this.request.softening;
  }

  #errors(particles: Accelerated, exact: readonly Float64Array[], { scenario, time }: Simulation) {
    const { softening, softenings } = this.request;
    const errors = (sum: Float64Array) => errorsOf(particles, this.#ids!, sum, scenario);
    const all = exact.map(errors);
    const cells = bestSoftening(all.map(({ rms }, s) => ({ cells: softenings[s], rms })));
    const isWithin = cells > softenings[0] && cells < softenings[softenings.length - 1];
    const { squares: _, ...there } = errors(interpolated(exact, softenings, cells));
    const scale = this.#scaleAt(time);
    const found = scale * cells;
    const best = isWithin ? { softening: found, cells: found / smallestCell(scenario), ...there } : null;
    const { squares: __, ...error } = all[softenings.indexOf(softening)];
    return { error: { ...error, scale, best }, squares: all.map(({ squares }) => squares) };
  }
}

/** Between sums with `softenings` the one with ε, by Lagrange's parabola through the three nearest. */
function interpolated(sums: readonly Float64Array[], softenings: readonly number[], wanted: number): Float64Array {
  const near = [...softenings.keys()]
    .sort((a, b) => Math.abs(softenings[a] - wanted) - Math.abs(softenings[b] - wanted))
    .slice(0, 3);
  const weights = near.map((i) =>
    near.reduce((w, j) => (j === i ? w : (w * (wanted - softenings[j])) / (softenings[i] - softenings[j])), 1),
  );
  return sums[0].map((_, k) => near.reduce((sum, i, n) => sum + weights[n] * sums[i][k], 0));
}

function errorsOf(
  particles: Accelerated,
  ids: Uint32Array,
  exact: Float64Array,
  scenario: Scenario,
): Omit<DirectError, "best"> & { squares: Float64Array } {
  const found = particles.accelerations!;
  const squares = new Float64Array(ids.length).fill(Number.NaN);
  const relative: number[] = [];
  let [size, seen] = [0, 0];
  ids.forEach((id, i) => {
    if (isOutside(particles, id, scenario)) return;
    const sizes = [0, 1, 2].map((k) => exact[3 * i + k] ** 2);
    const differences = [0, 1, 2].map((k) => (found[3 * id + k] - exact[3 * i + k]) ** 2);
    const [square, strength] = [differences, sizes].map(([x, y, z]) => x + y + z);
    squares[i] = square;
    if (strength > 0) relative.push(Math.sqrt(square / strength));
    size += strength;
    seen += 1;
  });
  const scaled = squares.map((square) => (square * seen) / size);
  const rms = Math.sqrt(scaled.reduce((sum, square) => sum + (Number.isNaN(square) ? 0 : square), 0) / seen);
  return { rms, median: median(relative) ?? Number.NaN, targets: seen, squares: scaled };
}
