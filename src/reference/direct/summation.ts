/**
 * The direct sum on the CPU in float64: what the library does without a GPU, and what its GPU engine is tested against.
 *   x + v h + a h²/2 + j h³/6,  v + a h + j h²/2,  a + j h,  h = T − t   (Portegies Zwart+ 2007, eqs. 3 and 4)
 */
import type { ForceArrays, ForceOrder } from "../../direct/bodies.ts";
import type { NewSources, SourceFields } from "../../direct/source-records.ts";
import type {
  EngineTargets,
  EvaluationControl,
  NeighbourSearch,
  Neighbours,
  SourceState,
  SummationEngine,
} from "../../direct/summation.ts";
import { GravmeshError } from "../../errors.ts";
import { type Bodies, emptyForces, sumForces } from "./forces.ts";
import { NO_NEIGHBOUR, nearestNeighbours, neighbourLists } from "./neighbours.ts";

/** Pairs between two looks at the clock of the event loop: some 30 ms. */
const PAIRS_AT_ONCE = 2 ** 22;

type Sources = Required<SourceFields>;

export class ReferenceSummation implements SummationEngine {
  readonly kind = "cpu";
  readonly #order: ForceOrder;
  readonly #softening: number;
  #sources: Sources = emptySources();
  #time: number | undefined;
  #bodies: Bodies | undefined;

  constructor({ order, softening }: { order: ForceOrder; softening: number }) {
    this.#order = order;
    this.#softening = softening;
  }

  async setSources(sources: NewSources): Promise<void> {
    const count = sources.masses.length;
    const vectors = () => new Float64Array(3 * count);
    const missing = {
      velocities: vectors(),
      accelerations: vectors(),
      jerks: vectors(),
      times: new Float64Array(count),
    };
    this.#sources = { ...missing, ...sources };
    this.#time = undefined;
    this.#bodies = undefined;
  }

  async updateSources(rows: Uint32Array, fields: SourceFields): Promise<void> {
    for (const name of Object.keys(fields) as (keyof SourceFields)[]) {
      const [given, kept] = [fields[name]!, this.#sources[name]];
      const width = given.length / Math.max(1, rows.length);
      rows.forEach((row, k) => {
        for (let axis = 0; axis < width; axis++) kept[width * row + axis] = given[width * k + axis];
      });
    }
    this.#bodies = undefined;
  }

  async predict(time: number | undefined): Promise<void> {
    this.#time = time;
    this.#bodies = undefined;
  }

  async forces(targets: EngineTargets, control: EvaluationControl): Promise<ForceArrays> {
    const bodies = this.#targetBodies(targets);
    const out = emptyForces(this.#order, bodies.count);
    const { accelerations, potentials, jerks, snaps } = out;
    await this.#inParts(bodies.count, control, (first, end) => {
      const part = {
        accelerations: accelerations.subarray(3 * first, 3 * end),
        potentials: potentials.subarray(first, end),
        ...(jerks && { jerks: jerks.subarray(3 * first, 3 * end) }),
        ...(snaps && { snaps: snaps.subarray(3 * first, 3 * end) }),
      };
      sumForces({
        ...{ order: this.#order, softening: this.#softening, sources: this.#current },
        ...{ targets: range(bodies, first, end), out: part },
      });
    });
    return out;
  }

  async neighbours(
    targets: EngineTargets,
    { radii, capacity }: NeighbourSearch,
    control: EvaluationControl,
  ): Promise<Neighbours> {
    const bodies = this.#targetBodies(targets);
    const found: Neighbours = {
      nearestIds: new Uint32Array(bodies.count),
      nearestDistances: new Float64Array(bodies.count),
    };
    const counts = new Uint32Array(bodies.count);
    const ids = new Uint32Array(capacity * (radii ? bodies.count : 0)).fill(NO_NEIGHBOUR);
    await this.#inParts(bodies.count, control, (first, end) => {
      const part = range(bodies, first, end);
      const nearest = nearestNeighbours(part, this.#current);
      found.nearestIds.set(nearest.ids, first);
      found.nearestDistances.set(nearest.distances, first);
      if (!radii) return;
      const lists = neighbourLists(part, this.#current, radii.subarray(first, end), capacity);
      counts.set(lists.counts, first);
      ids.set(lists.ids, capacity * first);
    });
    if (!radii) return found;
    const overflowed = Uint32Array.from(counts.keys()).filter((target) => counts[target] > capacity);
    return { ...found, lists: { capacity, counts, ids, overflowed } };
  }

  async readSources(): Promise<SourceState> {
    const { positions, velocities, accelerations, masses, ids } = this.#current;
    return {
      positions: positions.slice(),
      ...(this.#order !== "acceleration" && { velocities: velocities.slice() }),
      ...(this.#order === "snap" && { accelerations: accelerations.slice() }),
      masses: masses.slice(),
      ids: ids.slice(),
    };
  }

  destroy(): void {
    this.#sources = emptySources();
    this.#bodies = undefined;
  }

  /** Sources at the time that they stand at. */
  get #current(): Bodies {
    this.#bodies ??= this.#time === undefined ? asSet(this.#sources) : predicted(this.#sources, this.#time);
    return this.#bodies;
  }

  #targetBodies(targets: EngineTargets): Bodies {
    if (!targets) return this.#current;
    if ("rows" in targets) return rowsOf(this.#current, targets.rows);
    const { count, positions, ids } = targets;
    const { velocities = new Float64Array(0), accelerations = new Float64Array(0) } = targets;
    return { count, positions, ids, velocities, accelerations, masses: new Float64Array(count) };
  }

  /** `work` on targets [first, end) in turn, letting others run in between. */
  async #inParts(
    count: number,
    { onProgress, signal }: EvaluationControl,
    work: (first: number, end: number) => void,
  ): Promise<void> {
    const size = Math.max(1, Math.floor(PAIRS_AT_ONCE / Math.max(1, this.#current.count)));
    for (let first = 0; first < count; first += size) {
      if (signal?.aborted)
        throw new GravmeshError("aborted", "direct sum: the caller's signal ended it; the sources stay as they are");
      const end = Math.min(count, first + size);
      work(first, end);
      onProgress?.(end / count);
      if (end < count) await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

function emptySources(): Sources {
  const none = () => new Float64Array(0);
  const vectors = { positions: none(), velocities: none(), accelerations: none(), jerks: none() };
  return { ...vectors, times: none(), masses: none(), ids: new Uint32Array(0) };
}

function asSet({ positions, velocities, accelerations, masses, ids }: Sources): Bodies {
  return { count: masses.length, positions, velocities, accelerations, masses, ids };
}

function predicted(sources: Sources, time: number): Bodies {
  const { jerks, times, masses, ids } = sources;
  const [positions, velocities] = [sources.positions.slice(), sources.velocities.slice()];
  const accelerations = sources.accelerations.slice();
  for (let i = 0; i < jerks.length; i++) {
    const h = time - times[Math.floor(i / 3)];
    const [v, a, j] = [velocities[i], accelerations[i], jerks[i]];
    positions[i] += h * (v + (h / 2) * (a + (h / 3) * j));
    velocities[i] += h * (a + (h / 2) * j);
    accelerations[i] += h * j;
  }
  return { count: masses.length, positions, velocities, accelerations, masses, ids };
}

/** Bodies [first, end). */
function range(bodies: Bodies, first: number, end: number): Bodies {
  const vectors = (array: Float64Array) => array.subarray(3 * first, 3 * end);
  return {
    count: end - first,
    positions: vectors(bodies.positions),
    velocities: vectors(bodies.velocities),
    accelerations: vectors(bodies.accelerations),
    masses: bodies.masses.subarray(first, end),
    ids: bodies.ids.subarray(first, end),
  };
}

function rowsOf(bodies: Bodies, rows: Uint32Array): Bodies {
  const vectors = (array: Float64Array) => {
    const chosen = new Float64Array(3 * rows.length);
    rows.forEach((row, k) => {
      for (let axis = 0; axis < 3; axis++) chosen[3 * k + axis] = array[3 * row + axis];
    });
    return chosen;
  };
  return {
    count: rows.length,
    positions: vectors(bodies.positions),
    velocities: vectors(bodies.velocities),
    accelerations: vectors(bodies.accelerations),
    masses: Float64Array.from(rows, (row) => bodies.masses[row]),
    ids: Uint32Array.from(rows, (row) => bodies.ids[row]),
  };
}
