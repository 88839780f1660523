/**
 * The library's direct sum on ranks: each sums a part of the targets over all sources, and gets the others' results.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { adapterName } from "../../foundation/gpu/adapter.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { agreed, type Share } from "../../foundation/ranks/ranks.ts";
import { type RowArray, RowExchange } from "../../foundation/ranks/rows.ts";
import { emptyForces, type ForceArrays, type ForceOrder } from "../direct/bodies.ts";
import type { NewSources, SourceFields } from "../direct/source-records.ts";
import {
  type EngineTargets,
  type EvaluationControl,
  type NeighbourSearch,
  type Neighbours,
  noNeighbours,
  type SourceState,
  type SummationEngine,
  withOverflows,
} from "../direct/summation.ts";
import { type SharingOptions, worthSharing } from "../direct/target-sharing.ts";

interface RankedSummationOptions extends SharingOptions {
  order: ForceOrder;
}

/** Words of a note: whether the rank's part is there, and what was asked for. */
const FAILED = 1;

export class RankedSummation<Own extends SummationEngine> implements SummationEngine {
  readonly kind: SummationEngine["kind"];
  readonly #rows: RowExchange;
  readonly #worth: number;

  private constructor(
    readonly own: Own,
    private readonly options: RankedSummationOptions,
    gpu: GpuContext | undefined,
  ) {
    this.kind = own.kind;
    this.#rows = new RowExchange(options.ranks);
    this.#worth = options.worth ?? worthSharing(gpu ? (gpu.adapter.software ? "software" : "hardware") : "cpu");
  }

  /** On all ranks. Throws "device" where they compute on different adapters, whose bits differ. */
  static async create<Own extends SummationEngine>(
    own: Own,
    options: RankedSummationOptions,
    gpu: GpuContext | undefined,
  ): Promise<RankedSummation<Own>> {
    const { ranks } = options;
    const name = gpu ? adapterName(gpu.adapter) : "the CPU, float64";
    const first = await agreed(ranks, () => name);
    const differ = BigInt64Array.of(first === name ? 0n : 1n);
    await ranks.largest(differ);
    if (differ[0] === 0n) return new RankedSummation(own, options, gpu);
    throw new GravmeshError(
      "device",
      `the ranks of a direct sum need adapters of one kind, found ${first} on rank 0${name === first ? ", another on others" : ` and ${name} on rank ${ranks.rank}`}`,
    );
  }

  get count(): number {
    return this.own.count;
  }

  setSources(sources: NewSources): Promise<void> {
    return this.own.setSources(sources);
  }

  updateSources(rows: Uint32Array, fields: SourceFields): Promise<void> {
    return this.own.updateSources(rows, fields);
  }

  predict(time: number | undefined): Promise<void> {
    return this.own.predict(time);
  }

  async forces(targets: EngineTargets, control: EvaluationControl): Promise<ForceArrays> {
    const count = this.#countOf(targets);
    if (!this.#isShared(count)) return this.own.forces(targets, control);
    const share = this.#rows.shareOf(count);
    const out = emptyForces(this.options.order, count);
    const arrays = Object.entries(out) as [keyof ForceArrays, Float64Array][];
    const columns = arrays.map(([, array]): RowArray => ({ array, width: array.length / count }));
    await this.#exchanged(count, columns, async () => {
      const part = await this.own.forces(partOf(targets, share), control);
      for (const [name, array] of arrays) array.set(part[name]!, (array.length / count) * share.first);
    });
    return out;
  }

  async neighbours(targets: EngineTargets, search: NeighbourSearch, control: EvaluationControl): Promise<Neighbours> {
    const count = this.#countOf(targets);
    if (!this.#isShared(count)) return this.own.neighbours(targets, search, control);
    const share = this.#rows.shareOf(count);
    const { first } = share;
    const { radii, capacity } = search;
    const found = noNeighbours(count, search);
    const { nearestIds, nearestDistances, lists } = found;
    const columns: RowArray[] = [nearestIds, nearestDistances].map((array) => ({ array, width: 1 }));
    if (lists) columns.push({ array: lists.counts, width: 1 }, { array: lists.ids, width: capacity });
    await this.#exchanged(count, columns, async () => {
      const some = { ...search, radii: radii?.subarray(first, first + share.count) };
      const part = await this.own.neighbours(partOf(targets, share), some, control);
      nearestIds.set(part.nearestIds, first);
      nearestDistances.set(part.nearestDistances, first);
      lists?.counts.set(part.lists!.counts, first);
      lists?.ids.set(part.lists!.ids, capacity * first);
    });
    return withOverflows(found);
  }

  readSources(): Promise<SourceState> {
    return this.own.readSources();
  }

  destroy(): void {
    this.own.destroy();
  }

  #countOf(targets: EngineTargets): number {
    if (!targets) return this.own.count;
    return "rows" in targets ? targets.rows.length : targets.count;
  }

  #isShared(count: number): boolean {
    return count >= this.options.ranks.size && count * this.own.count >= this.#worth;
  }

  /** Does this rank's part, and gets the others'. What fails on one rank fails on all, so that none waits for ever. */
  async #exchanged(count: number, columns: readonly RowArray[], work: () => Promise<void>): Promise<void> {
    let fault: unknown;
    try {
      await work();
    } catch (error) {
      fault = error;
    }
    const note = Uint32Array.of(fault === undefined ? 0 : FAILED, count, this.own.count);
    const notes = await this.#rows.exchange(count, columns, note);
    if (fault !== undefined) throw fault;
    const failed = notes.findIndex(([state]) => state === FAILED);
    if (failed >= 0) throw new GravmeshError("aborted", `direct sum: rank ${failed} has failed in its part`);
  }
}

/** All sources as rows where no targets are named: a part of them has to be. */
function partOf(targets: EngineTargets, { first, count }: Share): EngineTargets {
  if (!targets) return { rows: Uint32Array.from({ length: count }, (_, k) => first + k) };
  if ("rows" in targets) return { rows: targets.rows.subarray(first, first + count) };
  const vectors = (array: Float64Array) => array.subarray(3 * first, 3 * (first + count));
  const { positions, velocities, accelerations, ids } = targets;
  return {
    ...{ count, positions: vectors(positions), ids: ids.subarray(first, first + count) },
    ...(velocities && { velocities: vectors(velocities) }),
    ...(accelerations && { accelerations: vectors(accelerations) }),
  };
}
