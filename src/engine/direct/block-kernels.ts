/** The kernels of the block loop, bound to a state: what block-loop.ts dispatches. */
import blockWgsl from "../../../wgsl/engine/direct/block.wgsl";
import manyWgsl from "../../../wgsl/engine/direct/block-many.wgsl";
import correctWgsl from "../../../wgsl/engine/direct/correct.wgsl";
import { u32 } from "../../foundation/gpu/buffers.ts";
import type { WgslConstants, WgslSource } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import { orderConstants, RECORD_BYTES } from "./bodies.ts";
import { ExternalPotentials } from "./external-potentials.ts";
import { SLICE } from "./force-shapes.ts";
import { integrators } from "./integrators.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import { gatherKernel } from "./source-blocks.ts";
import { VECTOR_BYTES } from "./source-records.ts";
import type { DirectState } from "./state.ts";

/** "one": schedule and correction in one workgroup; "many": spread over the GPU. Same results. */
export type BlockShape = "one" | "many";

/** Where one workgroup is quicker than three dispatches, which cost processors most: particles, and its invocations. */
const ONE = { software: { most: 2048, group: 128 }, hardware: { most: 1024, group: 256 } };
export const MANY_GROUP = 256;

/** Up to here one workgroup is quicker. */
export const mostForOne = (software: boolean): number => oneOf(software).most;

const oneOf = (software: boolean) => (software ? ONE.software : ONE.hardware);

export interface BlockKernels {
  start: BoundKernel;
  predict: BoundKernel;
  /** Copies the bodies with mass to the sources, where these are apart. */
  gather: BoundKernel | undefined;
  correct: BoundKernel;
  one: { block: BoundKernel; close: BoundKernel } | undefined;
  many: { schedule: BoundKernel; enlist: BoundKernel } | undefined;
  /** Members of a block, rows of the bodies (u32); all particles until blocks write their own. */
  list: GPUBuffer;
}

/** Compiles what isn't yet, and binds; what it makes is the context's. `rounds`: the forces of a block are summed in rounds. Throws "device". */
export async function blockKernels(
  gpu: GpuContext,
  settings: DirectPipelineSettings,
  state: DirectState,
  { shape, rounds }: { shape: BlockShape; rounds: boolean },
): Promise<BlockKernels> {
  const { buffers } = gpu;
  const { count } = state;
  const { integrator, steps } = settings.direct;
  const external = new ExternalPotentials(settings.externalPotentials, state.units);
  const going = buffers.uniform("direct settings", loopSettings(settings, state, external, false));
  const closing = buffers.uniform("direct settings, closing", loopSettings(settings, state, external, true));
  const timetable = buffers.upload("times of external potentials", external.timetable(), "other");
  const everyone = Uint32Array.from({ length: count }, (_, i) => i);
  const list = buffers.upload("direct block list", everyone, "particles");
  const slots = buffers.storage("direct block slots", shape === "many" ? 4 * count : 4, "particles");
  const due = buffers.storage("direct due times", 8 * Math.ceil(count / MANY_GROUP), "other");
  const { control, particles, derivatives, bodies, forces } = state;
  const shared = [control, particles, derivatives, bodies];
  const method = [...external.sources(), integrators[integrator].gpu.source];
  /** An entry point on top of the integrator's functions. */
  const kernel = (source: WgslSource, entry: string, constants: WgslConstants = {}) =>
    gpu.kernel({
      label: `direct/${entry} ${integrator}`,
      sources: [...method, source],
      entry,
      constants: {
        ...external.constants,
        ...orderConstants(state.integrator.order),
        SHARED: steps === "shared",
        TOGETHER: steps !== "block",
        ROUNDS: rounds,
        SLICE: `${SLICE}u`,
        ...constants,
      },
    });
  const one = async () => {
    const { most, group } = oneOf(gpu.adapter.software);
    // A shape that was asked for may have more particles than it is taken for.
    const places = Math.max(most, 32 * Math.ceil(count / 32));
    const block = await kernel(blockWgsl, "block", { MOST: `${places}u`, GROUP: `${group}u` });
    const bind = (uniform: GPUBuffer) => block.bind(uniform, ...shared, forces, list, list, timetable);
    return { block: bind(going), close: bind(closing) };
  };
  const many = async () => {
    const [schedule, enlist] = await Promise.all([kernel(manyWgsl, "schedule"), kernel(manyWgsl, "enlist")]);
    const buffersAfter = [list, slots, due];
    return {
      schedule: schedule.bind(going, ...shared, ...buffersAfter),
      enlist: enlist.bind(going, ...shared, ...buffersAfter),
    };
  };
  const gather = await massiveGather(gpu, state);
  const [start, predict, correct, inOne, inMany] = await Promise.all([
    kernel(correctWgsl, "start"),
    kernel(correctWgsl, "predict"),
    kernel(correctWgsl, "correct"),
    shape === "one" ? one() : undefined,
    shape === "many" ? many() : undefined,
  ]);
  return {
    start: start.bind(going, ...shared, forces, slots, due, timetable),
    predict: predict.bind(going, ...shared),
    gather,
    correct: correct.bind(going, ...shared, forces, slots, due, timetable),
    one: inOne,
    many: inMany,
    list,
  };
}

/** The kernel that copies the bodies with mass side by side, where tracers lie between them. */
async function massiveGather(gpu: GpuContext, { massive, bodies, sources, integrator }: DirectState) {
  const { rows, count, inFront } = massive;
  if (inFront) return undefined;
  const kernel = await gatherKernel(gpu, RECORD_BYTES[integrator.order] / VECTOR_BYTES);
  const moves = new Uint32Array(2 * count);
  rows.forEach((row, slot) => void moves.set([row, slot], 2 * slot));
  const part = gpu.buffers.uniform("direct sources", u32(0, count));
  return kernel.bind(part, gpu.buffers.upload("rows of direct sources", moves, "other"), bodies, sources);
}

/** Words of `Settings` in wgsl/engine/direct/lib/hermite-state.wgsl before the external potentials. */
const SETTINGS_WORDS = 12;

function loopSettings(
  { direct, externalPotentials }: DirectPipelineSettings,
  { units, count, massive }: DirectState,
  external: ExternalPotentials,
  closing: boolean,
): ArrayBuffer {
  const potentials = external.records();
  const packed = new ArrayBuffer(4 * SETTINGS_WORDS + potentials.byteLength);
  const integers = new Uint32Array(packed);
  const floats = new Float32Array(packed);
  integers[1] = closing ? 1 : 0;
  integers[2] = externalPotentials.length;
  floats[3] = direct.nu;
  floats[4] = direct.eta;
  floats[5] = direct.softening * units.perLength;
  integers[6] = count;
  integers[7] = Math.ceil(count / MANY_GROUP);
  integers[8] = massive.count;
  new Uint8Array(packed).set(new Uint8Array(potentials), 4 * SETTINGS_WORDS);
  return packed;
}
