/** What kernels note of particles that moved as none may, with the step in which they did, until the host looks. */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { MOTION_FAULTS } from "../../physics/particles/motion.ts";
import type { ParticleBuffers } from "./buffers.ts";

const HEALTHY = 0xffffffff;
/** Faults in the order of the WGSL constants. */
const FAULTS = [MOTION_FAULTS.notFinite, MOTION_FAULTS.tooFarInAStep, MOTION_FAULTS.tooFarOut];

export class StepHealth {
  constructor(
    private readonly gpu: GpuContext,
    private readonly particles: ParticleBuffers,
  ) {
    this.reset();
  }

  /** Has the batch's submission rejected with "numerical" naming the first step with a fault since the last one found. */
  watch(batch: Batch): Batch {
    for (const { marks } of this.particles.windows) {
      batch.read(marks, 0, 4 * FAULTS.length, (data) => requireHealth(new Uint32Array(data)));
    }
    return batch;
  }

  /** Throws the same in a submission of its own. */
  async check(): Promise<void> {
    await this.watch(this.gpu.batch("looking for faults")).submit();
  }

  /** Forgets faults, as when an earlier state has been restored. */
  reset(): void {
    const healthy = new Uint32Array(FAULTS.length).fill(HEALTHY);
    for (const { marks } of this.particles.windows) this.gpu.device.queue.writeBuffer(marks, 0, healthy);
  }
}

function requireHealth(words: Uint32Array): void {
  const first = [...words];
  const step = Math.min(...first);
  if (step === HEALTHY) return;
  throw new GravmeshError("numerical", `stage update, step ${step}: ${FAULTS[first.indexOf(step)]}`);
}
