/** What the ranks other than 0 do in a run: they take orders, and hold a share of the particles of each pipeline. */
import { drawingCrew } from "#platform";
import { GravmeshError } from "../base/errors.ts";
import type { GpuContext } from "../gpu/context.ts";
import { partsOfRecipe } from "../initial/share.ts";
import type { RankTask } from "../particles/rank-tasks.ts";
import type { ArraysInPieces } from "../particles/saved-arrays.ts";
import { MeshPipeline } from "../pipeline/pipeline.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { solvingBy } from "../ranks/solving.ts";
import { AgreedFault } from "./agreed-fault.ts";
import { DirectService } from "./direct-service.ts";
import { drawnSource } from "./drawn-source.ts";
import { answers, type Greeting, hear, type Order, type ReductionCall } from "./orders.ts";
import { allScattered, relayedBlocks, relayedPieces } from "./relay.ts";
import { heardSource } from "./sent-source.ts";
import { greetingWith } from "./solvers.ts";
import { gatheredTimes } from "./stage-times.ts";
import { done, type Holder } from "./tasks.ts";

/** A pipeline, and its state while it is being saved. */
interface Held extends Holder {
  saved: ArraysInPieces;
}

/** Rank 0 knows the way. */
const LED = {
  next: () => {
    throw new Error("only rank 0 knows the steps of a run");
  },
  note: () => {},
};

/** What a rank has to serve with. */
export interface Means {
  /** Asked for the adapter once. */
  acquire: () => Promise<GpuContext>;
  /** What rank 0 may ask for. */
  tasks?: readonly AnyTask[];
  /** Loads modules that rank 0 has loaded. */
  load?: (files: readonly string[]) => Promise<void>;
}

/** Serves until rank 0 has ended the run. */
export async function serve(ranks: Ranks, { acquire, tasks = [], load }: Means): Promise<void> {
  const held = new Map<number, Held>();
  const direct = new DirectService(ranks);
  let gpu: GpuContext | undefined;
  for (;;) {
    const order = await hear(ranks);
    if (order.do === "end") break;
    if (order.do === "load") {
      await load?.(order.files);
      continue;
    }
    if (order.do === "hello") {
      let greeting: Greeting;
      try {
        gpu ??= await acquire();
        greeting = greetingWith(gpu, ranks);
      } catch (error) {
        greeting = { fault: error instanceof Error ? error.message : String(error) };
      }
      await answers(ranks, greeting);
      continue;
    }
    if (order.do === "create") {
      const { settings, groups } = order;
      const solving = await solvingBy(ranks, groups);
      const { recipe } = order;
      const means = { crew: drawingCrew };
      const drawn = recipe && (await drawnSource(ranks, () => partsOfRecipe(recipe, means)));
      const source = drawn ?? (await heardSource(ranks, order));
      try {
        const pipeline = await MeshPipeline.create(gpu!, settings, source, { ranks, solving });
        held.set(order.pipeline, { ranks, pipeline, set: source, saved: {} });
      } catch (error) {
        if (!(error instanceof AgreedFault)) throw error; // rank 0 tells of it
      }
      continue;
    }
    if (order.do === "direct") {
      await direct.obey(order.pipeline, order.order, gpu);
      continue;
    }
    if (order.do === "destroy" && direct.destroy(order.pipeline)) continue;
    const one = held.get(order.pipeline);
    if (!one) throw new Error(`there is no pipeline ${order.pipeline} on rank ${ranks.rank}`);
    if (order.do === "task") await answers(ranks, await done(taskOf(tasks, order.name), order.about as never, one));
    else await obey(ranks, one, order);
    if (order.do === "destroy") held.delete(order.pipeline);
  }
  for (const { pipeline } of held.values()) pipeline.destroy();
  direct.destroyAll();
}

/** What it is told is what rank 0 was asked with, of its own type. */
export type AnyTask = RankTask<never, unknown>;

function taskOf(tasks: readonly AnyTask[], name: string): AnyTask {
  const task = tasks.find((one) => one.name === name);
  if (!task) throw new Error(`there is no task "${name}" on this rank`);
  return task;
}

async function obey(
  ranks: Ranks,
  held: Held,
  order: Exclude<Order, { do: "create" | "direct" | "hello" | "end" | "task" }>,
): Promise<void> {
  const { pipeline } = held;
  switch (order.do) {
    case "follow":
      return await together(() => pipeline.follow(LED));
    case "sums":
      return void (await pipeline.sums());
    case "extremes":
      return void (await pipeline.extremes());
    case "blocks":
      return await exhausted(relayedBlocks(ranks, pipeline.share, order.want, (ours) => pipeline.readBlocks(ours)));
    case "spectrum":
      return void (await pipeline.powerSpectrum({ cells: order.cells }));
    case "reduce": {
      const reductions = pipeline.reductions() as Record<ReductionCall, (...values: unknown[]) => Promise<unknown>>;
      return void (await reductions[order.call](...order.values.map((value) => value ?? undefined)));
    }
    case "save":
      held.saved = (await pipeline.saveInPieces()).arrays;
      return;
    case "column":
      return await exhausted(relayedPieces(ranks, held.saved[order.name]));
    case "restore": {
      const arrays = await allScattered(ranks, order.arrays);
      return await pipeline.restoreState({ format: order.format, arrays });
    }
    case "times":
      return void (await gatheredTimes(ranks, pipeline.stageTimes()));
    case "reset times":
      return pipeline.resetTimes();
    case "destroy":
      return pipeline.destroy();
  }
}

/** All ranks stop where rank 0 is stopped. */
async function together(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GravmeshError && error.kind === "aborted")) throw error;
  }
}

async function exhausted(given: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of given);
}
