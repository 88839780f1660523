/** Measurements that several ranks make together: rank 0 has the study, the others do what it says. */
import { GravmeshError, isAborted } from "../foundation/base/errors.ts";
import type { GpuContext } from "../foundation/gpu/context.ts";
import { agreed, type Ranks, SINGLE_RANK } from "../foundation/ranks/ranks.ts";
import type { RankedContext, RankedMeasurement, RanksTogether } from "./spec.ts";

type Order = { name: string; plan: unknown } | { name: null };

export class StudyRanks implements RanksTogether {
  /** Something was begun that not all have ended. */
  #open = false;

  constructor(readonly ranks: Ranks = SINGLE_RANK) {}

  async together<Plan, Result>(
    measurement: RankedMeasurement<Plan, Result>,
    plan: Plan,
    context: Omit<RankedContext, "ranks">,
  ): Promise<Result> {
    if (this.#open) throw new GravmeshError("device", "a measurement of several ranks has failed before; begin anew");
    const { ranks } = this;
    this.#open = true;
    try {
      await agreed(ranks, (): Order => ({ name: measurement.name, plan }));
      const result = await measurement.run(plan, { ...context, ranks });
      this.#open = false;
      return result;
    } catch (error) {
      if (isAborted(error)) this.#open = false;
      throw error;
    }
  }

  /** Sends the others home; false where they can't be reached. */
  async end(): Promise<boolean> {
    if (this.#open) return false;
    await agreed(this.ranks, (): Order => ({ name: null }));
    return true;
  }
}

/** The other ranks' part, until rank 0 has ended. `acquire` is asked for the adapter once. */
export async function serveStudy(
  measurements: readonly RankedMeasurement<never, unknown>[],
  ranks: Ranks,
  acquire: () => Promise<GpuContext>,
): Promise<void> {
  let gpu: GpuContext | undefined;
  const { signal } = new AbortController();
  for (;;) {
    const order = await agreed<Order>(ranks, () => ({ name: null }));
    if (order.name === null) break;
    const measurement = measurements.find(({ name }) => name === order.name)!;
    gpu ??= await acquire();
    await measurement.run(order.plan as never, { gpu, ranks, signal, progress: () => {} });
  }
  gpu?.destroy();
}
