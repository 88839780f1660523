/**
 * How far the accelerations of each variant are from a direct sum, on the same random sample of particles: at the first
 * step, and at the end, each at the places of its own particles. In float64 on the CPU, whatever the variants run on,
 * with one softening for all, so that the sums take nothing from a variant's engine and none is favoured.
 *   rms     = √(Σ|Δ|² / Σ|a|²), Δ = a − a_direct           median of |Δ|/|a_direct|
 */
import { median } from "d3-array";
import { GravmeshError, isAborted } from "../base/errors.ts";
import { releasing } from "../base/releasing.ts";
import type { ParticleSet } from "../particles/state.ts";
import { messageOf } from "../run/failure.ts";
import { smallestCell } from "../scenario/resolution.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Simulation } from "../simulation/simulation.ts";
import { type ExactForces, exactForces } from "../validate/exact.ts";
import { isOutside, sampleOf } from "../validate/sample.ts";
import type { DirectError, DirectReference } from "./record.ts";

/** |Δ|² of each particle of the sample over the mean |a_direct|²; NaN of those outside the mesh. */
export type SquaredErrors = Float64Array;

interface DirectRequest {
  /** Particles of the sample; by time when left out. */
  targets: number | undefined;
  /** ε of the sum [length]. */
  softening: number;
  signal: AbortSignal;
  report: (what: string) => void;
  /** Something to know about the sums, or why there are none. */
  note: (text: string) => void;
}

/** Of this process on all cores [s]: unlike the clock's, it doesn't depend on what else the machine does. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

type Accelerated = ParticleSet & { accelerations?: Float32Array };

/** About what a sum may take [s of the processor]: on the sample, and over the modes of a periodic box beforehand. */
const SECONDS = 1.5;
const MODES_SECONDS = 12;
const TARGETS = { least: 64, most: 4096 };
const FIRST_LOOK = 16;
/** A look that tells how fast it goes takes so long at least [s]. */
const TELLING = 0.1;
/** Softening of the sum where the deck has none [cells]: about what a mesh acts like. */
const CELLS = 0.5;

/** The smallest softening of the variants' own direct sums, or else half a cell of the finest mesh [length]. */
export function referenceSoftening(scenarios: readonly Scenario[]): number {
  const direct = scenarios.flatMap(({ gravity, direct }) => (gravity === "direct" ? direct.softening : []));
  if (direct.length > 0) return Math.min(...direct);
  return CELLS * Math.min(...scenarios.map(smallestCell));
}

/** The direct sums of a comparison; a failure of theirs is a note, not one of the variants. */
export class DirectErrors {
  /** What they were, for the record; null before the first. */
  reference: DirectReference | null = null;
  #ids: Uint32Array | undefined;
  #off = false;
  /** At the first step all variants of a boundary have their particles in the same places. */
  readonly #first = new Map<string, Float64Array>();

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
      const exact = known ?? (await this.#sum(simulation, particles));
      if (moment === "start") this.#first.set(boundary, exact);
      this.reference!.seconds += (performance.now() - started) / 1000;
      return errorsOf(particles, this.#ids!, exact, simulation.scenario);
    } catch (error) {
      if (isAborted(error)) return undefined;
      this.#off = true;
      this.request.note(`Not compared with a direct sum: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** [3K] on the sample, which is chosen at the first call. */
  async #sum(simulation: Simulation, particles: ParticleSet): Promise<Float64Array> {
    const { signal, report, note, targets, softening } = this.request;
    const patience = new AbortController();
    const started = processorSeconds();
    let tooLong = 0;
    const onProgress = (fraction: number) => {
      const seconds = processorSeconds() - started;
      if (targets !== undefined || fraction === 0 || seconds < 1 || seconds / fraction < MODES_SECONDS) return;
      tooLong = Math.ceil(seconds / fraction);
      patience.abort();
    };
    report("direct sum");
    const control = { signal: AbortSignal.any([signal, patience.signal]), onProgress };
    const made = exactForces({ simulation, particles, gpu: undefined, control, note, fineness: "quick" });
    const summing = releasing(made, async (exact) => {
      const { count } = particles;
      this.#ids ??= sampleOf(count, targets ?? (await affordable(exact, count, softening, signal)));
      const { size } = simulation.scenario.box;
      this.reference ??= {
        ...{ method: exact.method, softening, targets: this.#ids.length, seconds: 0 },
        softeningCells: (softening * simulation.scenario.mesh.cells) / size,
      };
      return exact.accelerations(this.#ids, softening, { signal });
    });
    return summing.catch((error) => {
      if (tooLong === 0) throw error;
      throw new GravmeshError(
        "usage",
        `Ewald's sum over ${particles.count} particles would take about ${tooLong} s a state; --targets 128 does it anyway.`,
      );
    });
  }
}

/** A power of two, so that the sample rarely depends on how busy the machine is. */
async function affordable(exact: ExactForces, count: number, softening: number, signal: AbortSignal): Promise<number> {
  for (let wanted = FIRST_LOOK; ; wanted *= 4) {
    const rows = sampleOf(count, wanted);
    const started = processorSeconds();
    await exact.accelerations(rows, softening, { signal });
    const seconds = Math.max(1e-6, processorSeconds() - started);
    if (seconds < TELLING && rows.length < Math.min(count, TARGETS.most)) continue;
    const within = 2 ** Math.floor(Math.log2((rows.length * SECONDS) / seconds));
    return Math.min(count, Math.max(TARGETS.least, Math.min(TARGETS.most, within)));
  }
}

function errorsOf(
  particles: Accelerated,
  ids: Uint32Array,
  exact: Float64Array,
  scenario: Scenario,
): { error: DirectError; squares: SquaredErrors } {
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
  return { error: { rms, median: median(relative) ?? Number.NaN, targets: seen }, squares: scaled };
}
