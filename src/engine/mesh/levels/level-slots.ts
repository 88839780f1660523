/** Where levels find their particles: in the planes of the box that they lie in, while particles are in order (wgsl/engine/mesh/levels/level-slots.wgsl). */
import { type Batch, workgroups } from "../../../foundation/gpu/batch.ts";
import { u32 } from "../../../foundation/gpu/buffers.ts";
import type { WgslConstants } from "../../../foundation/gpu/compose.ts";
import type { BoundKernel } from "../../../foundation/gpu/kernel.ts";
import { inSections } from "../../gpu-particles/sections.ts";
import type { ParticleHalf } from "../../gpu-particles/windows.ts";
import type { MeshStage } from "../stage.ts";

/** Its mesh is that of the box. */
type SlotsStage = Pick<MeshStage, "gpu" | "particles" | "mesh">;

/** Constants of level-slots.wgsl, which binds at `binding` and the next. */
export function levelSlotConstants({ particles, mesh: { starts } }: SlotsStage, binding: number): WgslConstants {
  const stride = inSections(particles, starts) ? 1 : 2 * starts.cells ** 2;
  return { SLOTS: binding, BOX_CELLS: `${starts.cells}u`, PLANE_STRIDE: `${stride}u` };
}

/** A kernel of `run` slots an invocation, `group` a workgroup, for all windows; `bind` binds it to what level-slots.wgsl binds, too. */
export function dispatchInPlanes(
  { gpu, particles, mesh: { starts } }: SlotsStage,
  { run, group }: { run: number; group: number },
  bind: (here: ParticleHalf, slots: Record<"chunk" | "pencilStarts", GPUBuffer>, window: number) => BoundKernel,
): (batch: Batch) => void {
  const pencilStarts = inSections(particles, starts) ? starts.planeStarts : starts.slabs[0].starts;
  const bound = [0, 1].map((inOrder) =>
    particles.windows.map((window, w) => {
      const chunk = gpu.buffers.uniform("slots of a chunk", u32(window.first, inOrder, 0, 0));
      return particles.ofWindow(window, (here) => bind(here, { chunk, pencilStarts }, w));
    }),
  );
  return (batch) => {
    const kernels = bound[particles.phase.inOrder ? 1 : 0];
    for (const [w, { count }] of particles.windows.entries()) {
      // Two stretches of slots may have a run more than one.
      batch.dispatch(kernels[w][particles.current], workgroups(Math.ceil(count / run) + 1, group));
    }
  };
}
