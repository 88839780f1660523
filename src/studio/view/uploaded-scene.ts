/** Particles that aren't on the GPU yet: of snapshots, of runs that go on elsewhere, of the CPU. */

import { ExactBlocks } from "../../engine/gpu-particles/upload.ts";
import { particleWindows } from "../../engine/gpu-particles/windows.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { GpuContext } from "../../foundation/gpu/context.ts";
import { wrapDevice } from "../../foundation/gpu/device.ts";
import { type Range, rangeLimits } from "../../foundation/gpu/windows.ts";
import type { HostParticles } from "./host-counts.ts";
import type { Scene, SceneContent, SceneWindow } from "./scene.ts";

/** A scene of particles that are uploaded, and replaced by those of the next moment. */
export class UploadedScene implements Scene {
  boxSize!: number;
  periodic!: boolean;
  components!: SceneContent["components"];
  weights!: SceneContent["weights"];
  thinned!: number;
  #windows: SceneWindow[] = [];

  private constructor(private readonly gpu: GpuContext) {}

  /** On the device of the renderer that shows it. Throws "memory" where they find no room. */
  static async create(gpu: GpuContext | GPUDevice, particles: HostParticles): Promise<UploadedScene> {
    const scene = new UploadedScene(gpu instanceof GpuContext ? gpu.account() : wrapDevice(gpu));
    try {
      await scene.put(particles);
      return scene;
    } catch (error) {
      scene.destroy();
      throw error;
    }
  }

  windows(): readonly SceneWindow[] {
    return this.#windows;
  }

  /** Takes other particles from the next picture on. Throws "usage" for arrays of different lengths. */
  async put(particles: HostParticles): Promise<void> {
    const { positions, velocities, images, thinned = 1, boxSize, periodic, components, weights } = particles;
    const count = positions.length / 3;
    const ids = particles.ids ?? Uint32Array.from({ length: count }, (_, i) => thinned * i);
    if (velocities.length !== 3 * count || ids.length !== count || (images && images.length !== count)) {
      throw new GravmeshError(
        "usage",
        `particles to upload: expected as many velocities, ids and images as the ${count} positions, found ${velocities.length / 3}, ${ids.length} and ${images?.length ?? "none"}`,
      );
    }
    const ranges = count > 0 ? particleWindows(rangeLimits(this.gpu), count) : [];
    const fits =
      ranges.length === this.#windows.length && ranges.every((one, i) => one.count === this.#windows[i].count);
    if (!fits || periodic !== this.periodic) this.#make(ranges, !periodic);
    await this.gpu.buffers.settle();
    Object.assign(this, { boxSize, periodic, components, weights, thinned });
    const { queue } = this.gpu.device;
    for (const [i, { first, count: n }] of ranges.entries()) {
      const window = this.#windows[i];
      queue.writeBuffer(window.positions, 0, positions.slice(3 * first, 3 * (first + n)));
      queue.writeBuffer(window.velocities, 0, velocities.slice(3 * first, 3 * (first + n)));
      queue.writeBuffer(window.ids, 0, ids.slice(first, first + n));
      if (window.images) queue.writeBuffer(window.images, 0, images?.slice(first, first + n) ?? new Uint32Array(n));
    }
  }

  destroy(): void {
    this.gpu.destroy();
    this.#windows = [];
  }

  #make(ranges: readonly Range[], isolated: boolean): void {
    const { buffers } = this.gpu;
    for (const { positions, velocities, ids, images } of this.#windows) {
      buffers.release(positions, velocities, ids, images);
    }
    const room = (label: string, words: number) => buffers.storage(`shown ${label}`, 4 * words, "particles");
    this.#windows = ranges.map(({ count }) => ({
      ...{ count, positions: room("positions", 3 * count), velocities: room("velocities", 3 * count) },
      ids: room("ids", count),
      ...(isolated && { images: room("images", count) }),
    }));
  }
}

/** Particles in box coordinates, positions [3N] [length] and velocities [3N] in id order, as a renderer wants them. */
export function hostParticles(
  content: SceneContent,
  { positions, velocities }: { positions: Float64Array; velocities: ArrayLike<number> },
): HostParticles {
  const exact = new ExactBlocks(content.boxSize, content.periodic ? "periodic" : "isolated");
  const count = positions.length / 3;
  const block = exact.of({ first: 0, count, positions, velocities: Float32Array.from(velocities) });
  return { ...content, positions: block.positions, velocities: block.velocities, images: block.images };
}
