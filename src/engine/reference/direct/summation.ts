/**
 * The direct sum on the CPU in float64: what the library does without a GPU, and what its GPU engine is tested against.
 *   x + v h + a h²/2 + j h³/6,  v + a h + j h²/2,  a + j h,  h = T − t   (Portegies Zwart+ 2007, eqs. 3 and 4)
 */
import { emptyForces, type ForceArrays, type ForceOrder } from "../../direct/bodies.ts";
import type { Softening } from "../../direct/softening.ts";
import { assignRows, type NewSources, type SourceFields } from "../../direct/source-records.ts";
import {
  type EngineTargets,
  type EvaluationControl,
  type NeighbourSearch,
  type Neighbours,
  noNeighbours,
  type SourceState,
  type SummationEngine,
  throwIfAborted,
  withOverflows,
} from "../../direct/summation.ts";
import { type Bodies, sumForces } from "./forces.ts";
import { findNeighbours } from "./neighbours.ts";

/** Pairs between two looks at the clock of the event loop: some 30 ms. */
const PAIRS_AT_ONCE = 2 ** 22;

type Sources = Required<SourceFields>;

const NONE = new Float64Array(0);

export class ReferenceSummation implements SummationEngine {
  readonly kind = "cpu";
  #sources = zeros(0);
  #time: number | undefined;
  #bodies: Bodies | undefined;

  constructor(private readonly options: { order: ForceOrder } & Softening) {}

  get count(): number {
    return this.#sources.masses.length;
  }

  async setSources(sources: NewSources): Promise<void> {
    this.#sources = { ...zeros(sources.masses.length), ...sources };
    this.#time = undefined;
    this.#bodies = undefined;
  }

  async updateSources(rows: Uint32Array, fields: SourceFields): Promise<void> {
    assignRows(this.#sources, this.count, rows, fields);
    this.#bodies = undefined;
  }

  async predict(time: number | undefined): Promise<void> {
    this.#time = time;
    this.#bodies = undefined;
  }

  async forces(targets: EngineTargets, control: EvaluationControl): Promise<ForceArrays> {
    const on = this.#on(targets);
    const out = emptyForces(this.options.order, on.count);
    const sum = { ...this.options, ...on, sources: this.#current, out };
    await this.#inParts(on.count, control, (first, last) => sumForces({ ...sum, first, last }));
    return out;
  }

  async neighbours(targets: EngineTargets, search: NeighbourSearch, control: EvaluationControl): Promise<Neighbours> {
    const on = this.#on(targets);
    const found = noNeighbours(on.count, search);
    const task = { ...search, ...on, sources: this.#current, found };
    await this.#inParts(on.count, control, (first, last) => void findNeighbours({ ...task, first, last }));
    return withOverflows(found);
  }

  async readSources(): Promise<SourceState> {
    const { positions, velocities, accelerations, masses, ids } = this.#current;
    const { order } = this.options;
    return {
      positions: positions.slice(),
      ...(order !== "acceleration" && { velocities: velocities.slice() }),
      ...(order === "snap" && { accelerations: accelerations.slice() }),
      masses: masses.slice(),
      ids: ids.slice(),
    };
  }

  destroy(): void {
    this.#sources = zeros(0);
    this.#bodies = undefined;
  }

  /** Sources at the time that they stand at. */
  get #current(): Bodies {
    const sources = this.#sources;
    this.#bodies ??= {
      ...{ ...sources, count: sources.masses.length },
      ...(this.#time !== undefined && predicted(sources, this.#time)),
    };
    return this.#bodies;
  }

  /** The bodies that targets are, or which rows of them, and how many. */
  #on(targets: EngineTargets): { targets: Bodies; rows?: Uint32Array; count: number } {
    if (!targets) return { targets: this.#current, count: this.#current.count };
    if ("rows" in targets) return { targets: this.#current, rows: targets.rows, count: targets.rows.length };
    const { count, velocities = NONE, accelerations = NONE } = targets;
    return { targets: { ...targets, velocities, accelerations, masses: NONE }, count };
  }

  /** `work` on targets [first, end) in turn, letting others run in between. */
  async #inParts(count: number, control: EvaluationControl, work: (first: number, end: number) => void): Promise<void> {
    const size = Math.max(1, Math.floor(PAIRS_AT_ONCE / Math.max(1, this.#current.count)));
    for (let first = 0; first < count; first += size) {
      throwIfAborted(control);
      const end = Math.min(count, first + size);
      work(first, end);
      control.onProgress?.(end / count);
      if (end < count) await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

/** Sources at rest, without mass. */
function zeros(count: number): Sources {
  const vectors = () => new Float64Array(3 * count);
  return {
    ...{ positions: vectors(), velocities: vectors(), accelerations: vectors(), jerks: vectors() },
    ...{ times: new Float64Array(count), masses: new Float64Array(count), ids: new Uint32Array(count) },
  };
}

function predicted(sources: Sources, time: number): Pick<Sources, "positions" | "velocities" | "accelerations"> {
  const { jerks, times } = sources;
  const [positions, velocities] = [sources.positions.slice(), sources.velocities.slice()];
  const accelerations = sources.accelerations.slice();
  for (let i = 0; i < jerks.length; i++) {
    const h = time - times[Math.floor(i / 3)];
    const [v, a, j] = [velocities[i], accelerations[i], jerks[i]];
    positions[i] += h * (v + (h / 2) * (a + (h / 3) * j));
    velocities[i] += h * (a + (h / 2) * j);
    accelerations[i] += h * j;
  }
  return { positions, velocities, accelerations };
}
