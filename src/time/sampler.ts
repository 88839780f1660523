/**
 * Gives every k-th particle to somebody who looks, as the device holds it: a row of the recorder of orbits at the end of
 * a submission. Nothing is held while nobody looks.
 */
import type { Batch } from "../gpu/batch.ts";
import type { MeshStage } from "../mesh/stage.ts";
import { everyCount } from "../particles/blocks.ts";
import type { Look } from "../particles/thinned.ts";
import { OrbitRecorder } from "./orbit-recorder.ts";

interface Ready {
  every: number;
  look: Look;
  recorder: OrbitRecorder;
}

export class Sampler {
  #ready: Ready | undefined;
  /** On its way. */
  #coming = false;

  /** `monopole`: of the mass inside an isolated mesh. */
  constructor(
    private readonly stage: MeshStage,
    private readonly monopole: GPUBuffer,
  ) {}

  /** Makes ready for a look that is waited for; `idle` waits for the device. A failure ends no run: the look is told. */
  async prepare(look: Look | undefined, idle: () => Promise<void>): Promise<boolean> {
    const every = this.#coming ? undefined : look?.wanted();
    if (!look || every === undefined) return false;
    if (this.#ready?.every === every && this.#ready.look === look) return true;
    await idle();
    this.end();
    const ids = Uint32Array.from({ length: everyCount(this.stage.particles.count, every) }, (_, k) => every * k);
    try {
      const recorder = await OrbitRecorder.create(this.stage, this.monopole, { ids, every: 1, take: () => {} }, 1);
      this.#ready = { every, look, recorder };
      return true;
    } catch (cause) {
      look.missed(cause instanceof Error ? cause.message : String(cause));
      return false;
    }
  }

  /** Records particles whose forces a closing kick [time] would make synchronous; they are read with the submission. */
  encode(batch: Batch, at: { step: number; kick: number; time: number }): void {
    const { every, look, recorder } = this.#ready!;
    const isolated = this.stage.particles.boundary === "isolated";
    recorder.encode(batch, at);
    this.#coming = true;
    recorder.encodeReadFixed(batch, ({ step, positions, velocities, images }) => {
      this.#coming = false;
      look.take({ step, every, positions, velocities, ...(isolated && { images }) });
    });
  }

  /** Gives back what it holds. */
  end(): void {
    this.#ready?.recorder.destroy();
    this.#ready = undefined;
  }
}
