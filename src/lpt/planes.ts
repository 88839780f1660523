/** Three padded meshes on the GPU, the components of a field, read plane by plane as vectors. */
import type { GpuContext } from "../gpu/context.ts";
import type { PaddedSlab } from "../mesh/fft-slabs.ts";

export class PaddedPlanes {
  constructor(
    private readonly gpu: GpuContext,
    /** Cells per side. */
    private readonly cells: number,
    private readonly components: readonly (readonly PaddedSlab[])[],
  ) {}

  /** [3·planes·n², xyzxyz…] of the planes from `z` on. */
  async read(z: number, planes: number): Promise<Float32Array> {
    const n = this.cells;
    const pitch = n + 2;
    const vectors = new Float32Array(3 * n ** 2 * planes);
    const batch = this.gpu.batch("reading displacements").stage("reading");
    for (const [axis, slabs] of this.components.entries()) {
      for (const { first, planes: height, buffer } of slabs) {
        const [from, to] = [Math.max(z, first), Math.min(z + planes, first + height)];
        if (from >= to) continue;
        const rows = n * (to - from);
        const target = 3 * n ** 2 * (from - z) + axis;
        batch.read(buffer, 4 * pitch * n * (from - first), 4 * pitch * rows, (data) => {
          const words = new Float32Array(data);
          for (let row = 0, at = target; row < rows; row++) {
            for (let k = row * pitch; k < row * pitch + n; k++, at += 3) vectors[at] = words[k];
          }
        });
      }
    }
    await batch.submit();
    return vectors;
  }
}
