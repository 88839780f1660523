/**
 * Forces on targets that the GPU lists: a dispatch for every number of targets that there may be, all recorded, of which
 * one kind finds work. A dispatch is direct, for the most targets that it is meant for, where invocations that find
 * nothing to do cost less than an indirect one, which browsers and Dawn check by a dispatch of its own; else indirect,
 * with arguments that a kernel writes (wgsl/direct/force-plan.wgsl).
 */
import type { Batch } from "../gpu/batch.ts";
import { USAGE } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { BoundKernel, Kernel } from "../gpu/kernel.ts";
import { type ForcePart, type Grid, gridSize, type Meant } from "./force-plan.ts";

export interface ListedForces {
  encode(batch: Batch): void;
  destroy(): void;
}

/** A dispatch of a job, with the part that it sums and, where targets are listed, how many of them it is meant for. */
export interface ForceStep {
  kernel: BoundKernel;
  part: ForcePart;
  grid: Grid;
  group: number;
}

export interface ListedStep extends ForceStep {
  meant: Meant;
}

const PLAN_GROUP = 64;
export const ARGUMENT_BYTES = 12;
const ENTRY_WORDS = 6;

/**
 * Invocations, or on GPUs workgroups, with nothing to do that cost about as much as what an indirect dispatch does beside
 * its work: 1.4 ns an invocation on llvmpipe, measured; on a GPU a microsecond or two, an estimate.
 */
const IDLE = { invocations: 2 ** 14, workgroups: 2 ** 12 };

/** Whether a dispatch costs less as a direct one, on an adapter that runs on the CPU or on a GPU. */
function isDirect(software: boolean, workgroups: number, group: number): boolean {
  return software ? workgroups * group <= IDLE.invocations : workgroups <= IDLE.workgroups;
}

export type ListedDispatch = "direct" | "indirect";

interface Listed {
  plan: Kernel;
  /** Word 0: how many targets are listed. */
  count: GPUBuffer;
  steps: readonly ListedStep[];
  /** Given back with the rest. */
  uniforms: readonly GPUBuffer[];
  /** By what costs less where none is given. */
  dispatch: ListedDispatch | undefined;
}

/** Binds the plan of what is indirect. */
export function listedForces(gpu: GpuContext, { plan, count, steps, uniforms, dispatch }: Listed): ListedForces {
  const { buffers } = gpu;
  const entries: number[] = [];
  const passes = steps.map(({ kernel, part, grid, group, meant }) => {
    const groups = gridSize(grid, part);
    const direct = dispatch ? dispatch === "direct" : isDirect(gpu.adapter.software, groups[0] * groups[1], group);
    if (direct) return { kernel, groups };
    const at = (ARGUMENT_BYTES * entries.length) / ENTRY_WORDS;
    entries.push(part.firstTarget, part.endTarget, grid.perGroup, grid.layers, meant.fewest, meant.most);
    return { kernel, at };
  });
  const planned = entries.length / ENTRY_WORDS;
  if (planned === 0) {
    return {
      encode: (batch) => {
        for (const pass of passes) if ("groups" in pass) batch.dispatch(pass.kernel, pass.groups);
      },
      destroy: () => buffers.release(...uniforms),
    };
  }
  const entryBuffer = buffers.upload("direct force plan", new Uint32Array(entries), "other");
  const args = buffers.storage("direct force arguments", ARGUMENT_BYTES * planned, "other", USAGE.INDIRECT);
  const bound = plan.bind(entryBuffer, count, args);
  return {
    encode: (batch) => {
      batch.dispatch(bound, [Math.ceil(planned / PLAN_GROUP)]);
      for (const pass of passes) {
        if ("groups" in pass) batch.dispatch(pass.kernel, pass.groups);
        else batch.dispatchIndirect(pass.kernel, args, pass.at);
      }
    },
    destroy: () => buffers.release(entryBuffer, args, ...uniforms),
  };
}
