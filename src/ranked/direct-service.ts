/** What the ranks other than 0 do in a direct sum that several share: as rank 0 says, and with it. */

import { GravmeshError } from "../base/errors.ts";
import { DirectPipeline } from "../direct/pipeline.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { ReferenceDirect } from "../reference/direct/pipeline.ts";
import type { DirectOrder } from "./orders.ts";
import { allScattered } from "./relay.ts";

/** Direct sums by the number that all ranks know them by. */
export class DirectService {
  readonly #held = new Map<number, DirectPipeline | ReferenceDirect>();

  constructor(private readonly ranks: Ranks) {}

  /** Throws what rank 0 can't know of. `gpu`: undefined where rank 0 has none either. */
  async obey(number: number, order: DirectOrder, gpu: GpuContext | undefined): Promise<void> {
    if (order.what === "create") {
      this.#held.set(number, await this.#made(order, gpu));
      return;
    }
    const sum = this.#held.get(number);
    if (!sum) throw new Error(`there is no direct sum ${number} on rank ${this.ranks.rank}`);
    await told(() => this.#done(sum, order));
  }

  /** False for one that isn't there. */
  destroy(number: number): boolean {
    this.#held.get(number)?.destroy();
    return this.#held.delete(number);
  }

  destroyAll(): void {
    for (const number of [...this.#held.keys()]) this.destroy(number);
  }

  async #made(order: Extract<DirectOrder, { what: "create" }>, gpu: GpuContext | undefined) {
    const { settings, components, worth, plans } = order;
    const { positions, velocities, masses } = await allScattered(this.ranks, plans);
    const particles = {
      ...{ count: masses.length, components: [...components] },
      positions: positions as Float64Array,
      velocities: velocities as Float64Array | Float32Array,
      masses: masses as Float64Array,
    };
    const sharing = { ranks: this.ranks, worth };
    return order.onGpu
      ? DirectPipeline.create(gpu!, settings, particles, { sharing })
      : new ReferenceDirect(settings, particles, sharing);
  }

  async #done(sum: DirectPipeline | ReferenceDirect, order: Exclude<DirectOrder, { what: "create" }>): Promise<void> {
    switch (order.what) {
      case "advance":
        return await sum.advance(order.steps, order.dt, { submission: order.submission });
      case "sums":
        return void (await sum.sums());
      case "extremes":
        return void (await sum.extremes());
      case "forces":
        return void (await sum.readParticles({ accelerations: true }));
      case "restore": {
        const arrays = await allScattered(this.ranks, order.plans);
        return await sum.restoreState({ format: order.format, arrays });
      }
    }
  }
}

/** What stops rank 0 stops all at the same place, and rank 0 tells of it. */
async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GravmeshError && (error.kind === "aborted" || error.kind === "numerical"))) throw error;
  }
}
