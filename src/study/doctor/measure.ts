/**
 * How fast an adapter is: copies, stages of a step at growing sizes, direct sums, each as long as there is time for the
 * next.
 */
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { copyBandwidth } from "../../foundation/gpu/probe.ts";
import { grouped } from "../../run/page/numbers.ts";
import { benchSphere, msOf, SUMS } from "../bench/direct.ts";
import { ForceBench } from "../bench/force-timing.ts";
import { benchStages } from "../bench/stages.ts";
import { onContext } from "./check.ts";
import type { DirectTimes, DoctorRecord } from "./report.ts";

/** Cells per side. */
export const SIZES: readonly number[] = [32, 64, 128, 256];
/** A size takes so many times what the one before took, at most. */
const STAGE_GROWTH = 10;
const ORDERS = ["acceleration", "jerk"] as const;

export type Measured = Pick<DoctorRecord, "copyBandwidth" | "stages" | "direct" | "leftOut">;

export interface MeasureOptions {
  into: Measured;
  sizes: readonly number[];
  /** [s] */
  left: () => number;
  report: (what: string) => void;
  doubleSingle: boolean;
}

const NO_TIME = "the time was up";

/** One measurement after another; throws where one fails, with what was measured before in `into`. */
export async function measure(gpu: GpuContext, options: MeasureOptions): Promise<void> {
  const { into, report } = options;
  report("Copying …");
  into.copyBandwidth = await copyBandwidth(gpu);
  for (const pairs of [false, true]) await measureStages(gpu, options, pairs);
  await measureSums(gpu, options);
}

async function measureStages(gpu: GpuContext, options: MeasureOptions, pairs: boolean): Promise<void> {
  const { into, sizes, left, report } = options;
  let took = 0;
  for (const cells of sizes) {
    const what = `stages of a step${pairs ? " by P³M" : ""} on ${cells}³ cells`;
    // A quarter of the time is for direct sums.
    if (STAGE_GROWTH * took > 0.75 * left() || left() <= 0) {
      into.leftOut.push({ what, why: NO_TIME });
      continue;
    }
    report(`Timing the ${what} …`);
    const began = performance.now();
    await onContext(gpu, {}, async (context) => {
      const assignment = pairs ? "tsc" : "cic";
      const scheme = { assignment, boundary: "periodic", deposit: "auto", gradient: "4-point", pairs } as const;
      const steps = gpu.adapter.software ? 4 : 32;
      const found = await benchStages(context, { cells, distribution: "uniform", ...scheme, steps, repetitions: 2 });
      const { particles, boundary, distribution, stepMs, timestamps, stages } = found;
      const { particleUpdatesPerSecond, pairsOfParticles } = found;
      const about = { cells, particles, boundary, assignment, distribution, pairsOfParticles } as const;
      into.stages.push({ ...about, stepMs, timestamps, stages, particleUpdatesPerSecond });
    });
    took = (performance.now() - began) / 1000;
  }
}

async function measureSums(gpu: GpuContext, { into, left, report, doubleSingle }: MeasureOptions): Promise<void> {
  const bodies = await benchSphere(SUMS[SUMS.length - 1].sources);
  for (const order of ORDERS) {
    for (const precision of doubleSingle ? (["single", "double-single"] as const) : (["single"] as const)) {
      await onContext(gpu, {}, (context) =>
        releasing(new ForceBench(context, { order, softening: 1 / 256, bodies }), async (bench) => {
          let last: DirectTimes | undefined;
          for (const { targets, sources } of SUMS) {
            const what = `direct sum of ${grouped(targets)} × ${grouped(sources)}, ${order}, ${precision}`;
            const interactions = targets * sources;
            // Some four evaluations are made; the first of all compiles.
            const expected = last ? (4 * interactions) / last.interactionsPerSecond : 1;
            if (expected > left() / 4) {
              into.leftOut.push({ what, why: NO_TIME });
              continue;
            }
            report(`Timing the ${what} …`);
            const ms = await msOf(bench, { precision, targets, sources });
            last = { order, precision, targets, sources, ms, interactionsPerSecond: (1000 * interactions) / ms };
            into.direct.push(last);
          }
        }),
      );
    }
  }
}
