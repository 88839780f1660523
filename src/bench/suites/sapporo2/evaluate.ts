/**
 * Figures 3, 4 and 7 of the suite `sapporo2`: an evaluation as a caller of the library sees it, from the bodies on the
 * host to the forces on the host; on the GPU, and in float64 in one thread of the CPU.
 */
import { DirectSummation, type TargetInput } from "../../../direct-summation.ts";
import type { Bodies } from "../../../reference/direct/forces.ts";
import type { LeftOut } from "../left-out.ts";
import type { MeasurementContext } from "../suite.ts";
import { stopIfAborted, timingOf } from "../timing.ts";
import { type Engine, KINDS, type Order, softening, sphereOf, unable } from "./cases.ts";

/** Forces of `count` bodies on themselves. */
export interface Evaluation {
  /** [s], transfers included; scaled up where not all targets were timed. */
  seconds: number;
  /** Targets that were timed. */
  targets: number;
  spread: number;
}

export interface Square {
  count: number;
  /** By "order engine": those that the adapter can do. */
  variants: Record<string, Evaluation>;
}
export const variantName = (order: Order, engine: Engine): string => `${order} ${engine}`;

export interface GridRow {
  sources: number;
  /** By number of targets [s], transfers included. */
  times: { targets: number; gpu: number; cpu: number }[];
}

export interface EvaluationPlan {
  repetitions: number;
  /** An evaluation that would take longer is timed for some of the targets [s]. */
  longest: number;
}

/** Targets of the trial that tells how long an evaluation will take, and the fewest that are timed. */
const TRIAL = 256;

function summation(order: Order, engine: Engine, { gpu }: MeasurementContext): Promise<DirectSummation> {
  const options = { order, softening: softening() };
  return DirectSummation.create(
    engine === "cpu" ? { ...options, backend: "cpu" } : { ...options, gpu, precision: engine },
  );
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** So many of `count` targets that they take at most `longest` [s], at `each` [s] a target. */
export function targetsWithin(count: number, each: number, longest: number): number {
  if (each * count <= longest) return count;
  return Math.min(count, Math.max(TRIAL, TRIAL * Math.floor(longest / each / TRIAL)));
}

const rows = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);

/** An evaluation, ready to be repeated: how many of the targets it is of, and its time scaled to all [s]. */
interface Repeatable {
  targets: number;
  run: () => Promise<number>;
}

async function repeatable(
  sum: DirectSummation,
  bodies: Bodies,
  { longest }: EvaluationPlan,
  signal: AbortSignal,
): Promise<Repeatable> {
  const { count } = bodies;
  const trial = Math.min(TRIAL, count);
  const part = async (targets: number) => {
    stopIfAborted(signal);
    const sent = await seconds(() => sum.setSources(bodies));
    const some = targets < count ? { rows: rows(targets) } : undefined;
    const forces = await seconds(() => sum.forces(some, { signal }));
    return { sent, each: forces / targets };
  };
  await part(trial); // compiles
  const { each } = await part(trial);
  const targets = targetsWithin(count, each, longest);
  return {
    targets,
    run: async () => {
      const found = await part(targets);
      return found.sent + found.each * count;
    },
  };
}

/** So many bodies on themselves, every kind of force in turns. */
export async function square(count: number, plan: EvaluationPlan, context: MeasurementContext): Promise<Square> {
  const { signal, progress } = context;
  const bodies = await sphereOf(count, signal);
  const sums: DirectSummation[] = [];
  try {
    const running: (Repeatable & { name: string; found: number[] })[] = [];
    for (const { order, engine } of KINDS) {
      if (await unable(context.gpu, engine)) continue;
      const sum = await summation(order, engine, context);
      sums.push(sum);
      const one = await repeatable(sum, bodies, plan, signal);
      running.push({ ...one, name: variantName(order, engine), found: [] });
    }
    for (let i = 0; i < plan.repetitions; i++) {
      for (const [place, { run, found }] of running.entries()) {
        found.push(await run());
        progress((i + (place + 1) / running.length) / plan.repetitions);
      }
    }
    const variants = running.map(({ name, targets, found }): [string, Evaluation] => {
      const { best, spread } = timingOf(found);
      return [name, { seconds: best, targets, spread }];
    });
    return { count, variants: Object.fromEntries(variants) };
  } finally {
    for (const sum of sums) await sum.destroy();
  }
}

/** So many sources on each number of targets: the GPU in double-single against the CPU, in turns. */
export async function gridRow(
  sources: number,
  targets: readonly number[],
  repetitions: number,
  context: MeasurementContext,
): Promise<GridRow | LeftOut> {
  const { signal, progress } = context;
  const reason = await unable(context.gpu, "double-single");
  if (reason) return reason;
  const sums: DirectSummation[] = [];
  try {
    for (const engine of ["double-single", "cpu"] as const) sums.push(await summation("jerk", engine, context));
    const bodies = await sphereOf(sources, signal);
    const times: GridRow["times"] = [];
    for (const [place, count] of targets.entries()) {
      const { positions, velocities } = await sphereOf(count, signal);
      const input: TargetInput = { positions, velocities, ids: rows(count) };
      const found: [number[], number[]] = [[], []];
      for (let i = 0; i <= repetitions; i++) {
        for (const [which, sum] of sums.entries()) {
          stopIfAborted(signal);
          const time = await seconds(async () => {
            await sum.setSources(bodies);
            await sum.forces(input, { signal });
          });
          if (i > 0) found[which].push(time); // the first compiles and warms up
        }
      }
      times.push({ targets: count, gpu: Math.min(...found[0]), cpu: Math.min(...found[1]) });
      progress((place + 1) / targets.length);
    }
    return { sources, times };
  } finally {
    for (const sum of sums) await sum.destroy();
  }
}
