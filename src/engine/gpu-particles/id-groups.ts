/**
 * Brings particles into groups of consecutive ids, in the half that isn't in use (wgsl/engine/gpu-particles/group-by-id.wgsl): on a
 * processor, gathering in id order particles that lie by cell spends most of its time on misses of its caches.
 */
import groupWgsl from "../../../wgsl/engine/gpu-particles/group-by-id.wgsl";
import { workgroups } from "../../foundation/gpu/batch.ts";
import { u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ParticleBuffers } from "./buffers.ts";

const GROUP = 64;
const RUN = 64;
/** Groups at most, and bits of a place within one at least: what a group holds fits a cache. */
const GROUPS = 1024;
const LEAST_BITS = 14;
/** Fewer particles are reached as fast as they lie. */
export const LEAST_GROUPED = 2 ** 18;

/** Bits of a place within a group of so many particles in all. */
function bitsFor(count: number): number {
  return Math.max(LEAST_BITS, Math.ceil(Math.log2(count / GROUPS)));
}

/** Moves the particles into the other half by groups of ids; the half in use stays as it is. `scratch`: a word a slot. */
export async function groupById(
  gpu: GpuContext,
  { windows, count, current }: ParticleBuffers,
  scratch: readonly GPUBuffer[],
  groupBits = bitsFor(count),
): Promise<void> {
  const own = gpu.buffers.pool();
  const other = current === 0 ? 1 : 0;
  const kernel = (entry: "place" | "bring", WIDTH: number) =>
    gpu.kernel({ label: `particles/${entry}`, sources: [groupWgsl], entry, constants: { RUN, GROUPS, WIDTH } });
  try {
    const [place, moveWord, moveVector] = await Promise.all([
      kernel("place", 1),
      kernel("bring", 1),
      kernel("bring", 3),
    ]);
    const placed = own.storage("particles placed", 4 * GROUPS, "other");
    const batch = gpu.batch("grouping particles by id").stage("reading");
    const groups = windows.map(({ count: slots }) => workgroups(Math.ceil(slots / RUN), GROUP));
    for (const [w, { count: slots, ids }] of windows.entries()) {
      const uniform = own.uniform("window of slots", u32(slots, 0, count, groupBits));
      batch.dispatch(place.bind(uniform, ids[current], placed, scratch[w]), groups[w]);
    }
    for (const [w, from] of windows.entries()) {
      for (const to of windows) {
        const uniform = own.uniform("slots, places", u32(from.count, to.first, to.count, groupBits));
        const pairs = [
          { move: moveVector, source: from.positions, target: to.positions },
          { move: moveVector, source: from.velocities, target: to.velocities },
          { move: moveWord, source: from.ids, target: to.ids },
          ...(from.images && to.images ? [{ move: moveWord, source: from.images, target: to.images }] : []),
        ];
        for (const { move, source, target } of pairs) {
          batch.dispatch(move.bind(uniform, scratch[w], source[current], target[other]), groups[w]);
        }
      }
    }
    await batch.submit();
  } finally {
    own.destroyAll();
  }
}
