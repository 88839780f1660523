/** Massive neutrinos in the steps on a GPU: spectra of the particles where they are due, and the solver's factors by them. */
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { ArraysInPieces } from "../../physics/particles/saved-arrays.ts";
import { PowerSpectrum } from "../diagnostics/power-spectrum.ts";
import { NeutrinoForce } from "../mesh/neutrino-force.ts";
import type { SelfGravity } from "../mesh/self-gravity.ts";
import type { MeshStage } from "../mesh/stage.ts";

export class NeutrinoStage {
  /** The solver has not got the present factors. */
  #stale = false;

  private constructor(
    private readonly stage: MeshStage,
    private readonly gravity: SelfGravity,
    private readonly force: NeutrinoForce,
  ) {}

  /** Undefined without massive neutrinos. */
  static of(stage: MeshStage, gravity: SelfGravity): NeutrinoStage | undefined {
    const { neutrinos, mesh, boxSize } = stage.settings;
    return neutrinos && new NeutrinoStage(stage, gravity, new NeutrinoForce(neutrinos, mesh.cells, boxSize));
  }

  /** For sorted particles at a; what comes after goes into the batch returned. */
  async encode(sorted: Batch, a: number): Promise<Batch> {
    const { force, gravity } = this;
    const { gpu, particles } = this.stage;
    let batch = sorted;
    if (force.due(a)) {
      await sorted.submit();
      const spectrum = await PowerSpectrum.create(gpu, particles, { cells: force.cells });
      try {
        force.take(a, await spectrum.measure());
      } finally {
        spectrum.destroy();
      }
      batch = gpu.batch(sorted.label);
      this.#stale = true;
    }
    // Where another rank solves there is no solver.
    if (this.#stale) gravity.parts?.poisson?.encodeResponse?.(batch, force.factors);
    this.#stale = false;
    return batch;
  }

  saveState(): ArraysInPieces {
    return this.force.saveState();
  }

  async restoreState(arrays: ArraysInPieces): Promise<void> {
    await this.force.restoreState(arrays);
    this.#stale = true;
  }
}
