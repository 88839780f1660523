/** Measurements of a suite that several ranks make together: rank 0 has the suite, the others do what it says. */
import { GravmeshError, isAborted } from "../../base/errors.ts";
import type { GpuContext } from "../../gpu/context.ts";
import { ALONE, agreed, type Ranks } from "../../ranks/ranks.ts";
import type { MeasurementContext } from "./spec.ts";

/** What all ranks do of a measurement. */
export type RankedContext = Pick<MeasurementContext, "gpu" | "signal" | "progress"> & { ranks: Ranks };

/** A measurement of several ranks; `plan` is plain data. */
export interface RankedMeasurement<Plan, Result> {
  name: string;
  run(plan: Plan, context: RankedContext): Promise<Result>;
}

type Order = { name: string; plan: unknown } | { name: null };

/** The ranks as rank 0's suite has them. */
export class SuiteRanks {
  /** Something was begun that not all have ended. */
  #open = false;

  constructor(readonly ranks: Ranks = ALONE) {}

  /** Throws what the measurement throws, and "device" once one has failed: then the others can't be reached any more. */
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
export async function serveSuite(
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
