/** Exact accelerations at the first step: pair sums in an isolated box, Ewald's sum in float64 in a periodic one. */

import type { Precision } from "../../engine/direct/settings.ts";
import { DirectSummation, type EvaluationControl } from "../../engine/direct-summation.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { addExternalField } from "../../physics/potentials/external.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { EwaldSum, type Fineness } from "./ewald-sum.ts";
import type { ForceComparison } from "./record.ts";

export interface ExactForces {
  readonly method: ForceComparison["method"];
  readonly precision: ForceComparison["precision"];
  /** [3K] on the particles in `rows`, with softening ε [length]. Throws "aborted". */
  accelerations(rows: Uint32Array, softening: number, control: EvaluationControl): Promise<Float64Array>;
  destroy(): void | Promise<void>;
}

export interface ExactForcesOptions {
  /** At its first step. */
  simulation: Simulation;
  /** As it reads them. */
  particles: ParticleSet;
  /** What the pair sums are computed on; undefined: in float64 on the CPU. */
  gpu: GpuContext | undefined;
  control: EvaluationControl;
  /** How finely Ewald's sum is done; "fine" when left out. */
  fineness?: Fineness;
  /** Something to know about the sums. */
  note: (text: string) => void;
}

/** The sums that suit the boundary. */
export async function exactForces(options: ExactForcesOptions): Promise<ExactForces> {
  const { simulation, particles, control, fineness = "fine" } = options;
  const { box, units } = simulation.scenario;
  if (box.boundary === "isolated") return new PairSums(options);
  const { positions, masses } = particles;
  const { G } = unitSystem(units.system);
  const sum = await EwaldSum.create({ positions, masses, G, size: box.size }, control, fineness);
  const { softeningKernel } = simulation.scenario.direct;
  const { method, precision } = sum;
  return {
    ...{ method, precision, destroy: () => sum.destroy() },
    accelerations: (rows, softening, own) => sum.accelerations(rows, { softening, softeningKernel }, own),
  };
}

class PairSums implements ExactForces {
  readonly method = "direct sum";
  readonly #G: number;
  #precision: Precision = "double-single";
  #sum: DirectSummation | undefined;

  constructor(private readonly options: ExactForcesOptions) {
    this.#G = unitSystem(options.simulation.scenario.units.system).G;
  }

  get precision(): ForceComparison["precision"] {
    return this.options.gpu ? this.#precision : "double";
  }

  async accelerations(rows: Uint32Array, softening: number, control: EvaluationControl): Promise<Float64Array> {
    const sum = await this.#withSoftening(softening);
    const { accelerations } = await sum.forces({ rows }, control);
    const { positions } = this.options.particles;
    const places = Float64Array.from(accelerations, (_, k) => positions[3 * rows[Math.floor(k / 3)] + (k % 3)]);
    const out = { accelerations, potential: new Float64Array(rows.length) };
    for (const potential of this.options.simulation.externalPotentials) {
      addExternalField(potential, this.#G, places, out, { time: this.options.simulation.time });
    }
    return accelerations;
  }

  async destroy(): Promise<void> {
    await this.#sum?.destroy();
    this.#sum = undefined;
  }

  /** One sum at a time: at 10⁷ particles the sources take a third of a gigabyte. */
  async #withSoftening(softening: number): Promise<DirectSummation> {
    if (this.#sum?.softening === softening) return this.#sum;
    await this.destroy();
    this.#sum = await this.#create(softening);
    const { particles, simulation, gpu } = this.options;
    const { bufferWindows: windows } = simulation;
    const { count, positions, masses } = particles;
    if (gpu && windows) {
      const boxSize = simulation.scenario.box.size;
      await this.#sum.setSourcesFromMesh({ count, boxSize, windows, masses });
    } else await this.#sum.setSources({ positions, masses });
    return this.#sum;
  }

  async #create(softening: number): Promise<DirectSummation> {
    const { gpu, note, particles, simulation } = this.options;
    const { softeningKernel } = simulation.scenario.direct;
    const softened = { softening, softeningKernel };
    const options = { order: "acceleration" as const, ...softened, G: this.#G, capacity: particles.count };
    if (!gpu) return DirectSummation.create({ ...options, backend: "cpu" });
    const create = () => DirectSummation.create({ ...options, gpu, precision: this.#precision });
    return create().catch((error) => {
      if (!(error instanceof GravmeshError && error.kind === "device") || this.#precision === "single") throw error;
      this.#precision = "single";
      note(`The direct sum is in single precision: ${error.message}`);
      return create();
    });
  }
}
