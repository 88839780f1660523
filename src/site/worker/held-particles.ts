/** Particles that don't come from a run on the stage's device: brought onto it, so that they are drawn as any others. */
import type { GpuContext } from "../../gpu/context.ts";
import type { SceneWindow } from "../../view/scene.ts";
import type { Drawable, HostParticles } from "./exhibit.ts";

/** Bytes of a particle in its largest array. */
const WIDEST = 12;

export class HeldParticles {
  /** Undefined without a device. */
  readonly #account: GpuContext | undefined;
  #windows: SceneWindow[] = [];
  #particles: HostParticles | undefined;

  constructor(gpu: GpuContext | undefined) {
    this.#account = gpu?.account();
  }

  /** Takes these instead of those before. Throws "memory". */
  async show(particles: HostParticles): Promise<void> {
    const gpu = this.#account;
    this.#particles = particles;
    if (!gpu) return;
    gpu.buffers.destroyAll();
    this.#windows = [];
    const most = Math.floor(gpu.device.limits.maxStorageBufferBindingSize / WIDEST);
    const count = particles.ids.length;
    for (let first = 0; first < count; first += most) {
      this.#windows.push(windowOf(gpu, particles, first, Math.min(most, count - first)));
    }
    await gpu.buffers.settle();
  }

  drawable(): Drawable | undefined {
    const particles = this.#particles;
    if (!particles) return undefined;
    if (!this.#account) return { on: "host", particles };
    const { boxSize, periodic, components, weights } = particles;
    const windows = () => this.#windows;
    return { on: "device", scene: { boxSize, periodic, components, weights, windows } };
  }

  destroy(): void {
    this.#account?.destroy();
    this.#particles = undefined;
    this.#windows = [];
  }
}

function windowOf({ buffers }: GpuContext, all: HostParticles, first: number, count: number): SceneWindow {
  const upload = (label: string, array: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>, width: number) =>
    buffers.upload(label, array.subarray(width * first, width * (first + count)), "particles");
  return {
    count,
    positions: upload("shown positions", all.positions, 3),
    velocities: upload("shown velocities", all.velocities, 3),
    ids: upload("shown ids", all.ids, 1),
    ...(all.images && { images: upload("shown images", all.images, 1) }),
  };
}
