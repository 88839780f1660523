/** Particles that don't come from a run on the page's device: brought onto it, so that they are drawn as any others. */
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { HostParticles } from "../../../studio/view/host-counts.ts";
import { UploadedScene } from "../../../studio/view/uploaded-scene.ts";
import type { Drawable } from "./exhibit.ts";

export class HeldParticles {
  particles: HostParticles | undefined;
  #scene: UploadedScene | undefined;
  #destroyed = false;

  /** Without a device the particles stay on the host. */
  constructor(private readonly gpu: GpuContext | undefined) {}

  /** Throws "memory". */
  async show(particles: HostParticles): Promise<void> {
    this.particles = particles;
    if (!this.gpu) return;
    if (this.#scene) return this.#scene.put(particles);
    const scene = await UploadedScene.create(this.gpu, particles);
    if (this.#destroyed) return scene.destroy();
    this.#scene = scene;
  }

  drawable(): Drawable | undefined {
    return this.gpu ? this.#scene : this.particles;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#scene?.destroy();
    this.particles = this.#scene = undefined;
  }
}
