/** Particles that don't come from a run on the page's device: brought onto it, so that they are drawn as any others. */
import type { GpuContext } from "../../gpu/context.ts";
import type { SceneWindow } from "../../view/scene.ts";
import type { Drawable, HostParticles } from "./exhibit.ts";

/** Bytes of a particle in its widest array. */
const WIDEST = 12;

export class HeldParticles {
  /** Undefined without a device. */
  readonly #account: GpuContext | undefined;
  #windows: { first: number; window: SceneWindow }[] = [];
  #particles: HostParticles | undefined;

  constructor(gpu: GpuContext | undefined) {
    this.#account = gpu?.account();
  }

  /** Takes these instead of those before: in their buffers where they are as many. Throws "memory". */
  async show(particles: HostParticles): Promise<void> {
    const gpu = this.#account;
    const before = this.#particles;
    this.#particles = particles;
    if (!gpu) return;
    const count = particles.ids.length;
    const same = before?.ids.length === count && (before.images === undefined) === (particles.images === undefined);
    if (!same) {
      gpu.buffers.destroyAll();
      this.#windows = [];
      const { maxStorageBufferBindingSize, maxBufferSize } = gpu.device.limits;
      const most = Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / WIDEST);
      for (let first = 0; first < count; first += most) {
        const window = emptyWindow(gpu, Math.min(most, count - first), particles.images !== undefined);
        this.#windows.push({ first, window });
      }
      await gpu.buffers.settle();
    }
    for (const { first, window } of this.#windows) fill(gpu, window, particles, first);
  }

  drawable(): Drawable | undefined {
    const particles = this.#particles;
    if (!particles) return undefined;
    if (!this.#account) return { on: "host", particles };
    const { boxSize, periodic, components, weights } = particles;
    const windows = () => this.#windows.map(({ window }) => window);
    return { on: "device", scene: { boxSize, periodic, components, weights, windows } };
  }

  destroy(): void {
    this.#account?.destroy();
    this.#particles = undefined;
    this.#windows = [];
  }
}

function emptyWindow({ buffers }: GpuContext, count: number, images: boolean): SceneWindow {
  const make = (label: string, words: number) => buffers.storage(label, 4 * words * count, "particles");
  return {
    count,
    positions: make("shown positions", 3),
    velocities: make("shown velocities", 3),
    ids: make("shown ids", 1),
    ...(images && { images: make("shown images", 1) }),
  };
}

function fill({ device }: GpuContext, window: SceneWindow, all: HostParticles, first: number): void {
  const write = (to: GPUBuffer, array: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>, width: number) =>
    device.queue.writeBuffer(to, 0, array.subarray(width * first, width * (first + window.count)));
  write(window.positions, all.positions, 3);
  write(window.velocities, all.velocities, 3);
  write(window.ids, all.ids, 1);
  if (window.images && all.images) write(window.images, all.images, 1);
}
