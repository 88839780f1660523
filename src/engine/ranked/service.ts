/** What the ranks other than 0 do in a run: they take orders, and hold their part of each pipeline. */
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { answers, type Ranks } from "../../foundation/ranks/ranks.ts";
import { type JointDirect, type JointMesh, jointDirect, jointMesh } from "./joint-pipelines.ts";
import { type AnyTask, DIRECT_WORK, MESH_WORK } from "./joint-work.ts";
import { AgreedFault, endsOnAll, nextOrder, type Order } from "./rank-channel.ts";
import { greetingWith, type RankInfo } from "./solvers.ts";

interface Means {
  acquire: () => Promise<GpuContext>;
  tasks?: readonly AnyTask[];
  load?: (files: readonly string[]) => Promise<void>;
}

/** Serves until rank 0 has ended the run. */
export async function serve(ranks: Ranks, { acquire, tasks = [], load }: Means): Promise<void> {
  const held = new Map<number, JointMesh | JointDirect>();
  let gpu: GpuContext | undefined;
  for (;;) {
    const order = await nextOrder(ranks);
    switch (order.do) {
      case "hello":
        await answers(ranks, await greeting());
        break;
      case "load":
        await load?.(order.files);
        break;
      case "mesh":
        try {
          held.set(order.number, await jointMesh(ranks, gpu!, order.recipe));
        } catch (error) {
          if (!(error instanceof AgreedFault)) throw error; // rank 0 reports it
        }
        break;
      case "direct":
        held.set(order.number, await jointDirect(ranks, gpu, order.recipe));
        break;
      case "work":
        await done(order, heldAs(order.number), tasks);
        break;
      case "destroy":
        heldAs(order.number).own.destroy();
        held.delete(order.number);
        break;
      case "end":
        for (const { own } of held.values()) own.destroy();
        return;
    }
  }

  function heldAs(number: number): JointMesh | JointDirect {
    const one = held.get(number);
    if (!one) throw new Error(`there is no pipeline ${number} on rank ${ranks.rank}`);
    return one;
  }

  async function greeting(): Promise<RankInfo> {
    try {
      gpu ??= await acquire();
      return greetingWith(gpu, ranks);
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }
}

type Work = (held: JointMesh | JointDirect, about: unknown, task?: AnyTask) => unknown;

/** This rank's part of a work, whose result is rank 0's. What ends it on all ranks rank 0 reports. */
async function done(
  { work: name, about }: Extract<Order, { do: "work" }>,
  held: JointMesh | JointDirect,
  tasks: readonly AnyTask[],
): Promise<void> {
  const all = ("set" in held ? MESH_WORK : DIRECT_WORK) as unknown as Record<string, Work>;
  try {
    const task = name === "task" ? taskOf(tasks, (about as { name: string }).name) : undefined;
    const result = await all[name](held, about, task);
    if (isStream(result)) for await (const _ of result);
  } catch (error) {
    if (!endsOnAll(error, held.alike)) throw error;
  }
}

const isStream = (result: unknown): result is AsyncIterable<unknown> =>
  typeof result === "object" && result !== null && Symbol.asyncIterator in result;

function taskOf(tasks: readonly AnyTask[], name: string): AnyTask {
  const task = tasks.find((one) => one.name === name);
  if (!task) throw new Error(`there is no task "${name}" on this rank`);
  return task;
}
