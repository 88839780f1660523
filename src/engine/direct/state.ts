/**
 * Particles of a direct sum on the GPU. Positions, velocities and accelerations are pairs of float32, in units in
 * which the largest step is 1: then every step is a power of two, products with it are exact, and only sums need pair
 * arithmetic. The unit of length, between 1 and 1.26 of the deck's, makes G·m of the heaviest particles a power of
 * two, so that equal masses lose nothing to float32. Both precisions keep all of this: "single" drops the low words
 * in the forces alone.
 *
 * Words of a particle (wgsl/engine/direct/lib/hermite-state.wgsl): 0–2 position, 3 G·m, 4–6 low words of the position, 7 id,
 *   8–10 velocity, 11 tick, 12–14 low words of the velocity, 15 step in ticks.
 * Words of the derivatives (wgsl/direct/lib/hermite-*.wgsl), four each: acceleration, its low words, jerk, snap, crackle.
 */

import { GravmeshError } from "../../foundation/base/errors.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { ParticleSet } from "../../physics/particles/state.ts";
import { RECORD_BYTES } from "./bodies.ts";
import { CONTROL, controlWords, LARGEST_TICKS, SAVED_WORDS } from "./control.ts";
import type { Integrator } from "./integrators/integrator.ts";
import { integrators } from "./integrators.ts";
import { type Massive, massiveOf } from "./massive.ts";
import type { DirectPipelineSettings } from "./settings.ts";
import { type DirectUnits, directUnits } from "./units.ts";

const PARTICLE_WORDS = 16;
/** An acceleration below this part of the largest is rounding: it sets no step. */
const NO_ACCELERATION = 1e-7;

/** Where particles are, in deck units and float64. */
export interface DirectPhase {
  /** [3N, xyzxyz…] box coordinates [length] */
  positions: Float64Array;
  /** [3N] [velocity] */
  velocities: Float64Array;
}

export class DirectState {
  readonly count: number;
  readonly units: DirectUnits;
  readonly integrator: Integrator;
  /** [N] as the GPU holds them [mass]: what energy and momentum are conserved with. */
  readonly masses: Float64Array;
  readonly control: GPUBuffer;
  readonly particles: GPUBuffer;
  readonly derivatives: GPUBuffer;
  /** Particles predicted to a common time. */
  readonly bodies: GPUBuffer;
  /** Those of them that attract the others. */
  readonly massive: Massive;
  /** The bodies with mass, in the first rows: `bodies`, or copies where tracers lie between them. */
  readonly sources: GPUBuffer;
  readonly forces: GPUBuffer;

  /** Uploads. Throws "input" for particles that can't be, "memory" for too many. */
  constructor(
    private readonly gpu: GpuContext,
    settings: DirectPipelineSettings,
    set: ParticleSet,
  ) {
    const { buffers } = gpu;
    const { count, masses } = set;
    requirePossible(settings, set);
    this.count = count;
    this.integrator = integrators[settings.direct.integrator];
    this.units = directUnits(
      settings,
      masses.reduce((a, b) => Math.max(a, b), 0),
    );
    this.masses = masses.map((mass) => this.units.mass(Math.fround(this.units.gm(mass))));
    const { order } = this.integrator;
    const { derivativeBytes } = this.integrator.gpu;
    this.control = buffers.upload("direct control", controlWords(), "other");
    this.particles = buffers.upload("direct particles", this.#records(set), "particles");
    this.derivatives = buffers.storage("direct derivatives", derivativeBytes * count, "particles");
    this.bodies = buffers.storage("direct bodies", RECORD_BYTES[order] * count, "particles");
    this.massive = massiveOf(this.masses);
    const copied = RECORD_BYTES[order] * this.massive.count;
    this.sources = this.massive.inFront ? this.bodies : buffers.storage("direct sources", copied, "particles");
    this.forces = buffers.storage("direct forces", RECORD_BYTES[order] * count, "particles");
  }

  /** Positions and velocities `reached` ticks into a largest step, to which particles behind that are predicted. */
  async phase(reached: number): Promise<DirectPhase> {
    const { count, units } = this;
    const packed = await this.gpu.read(this.particles);
    const words = new Float32Array(packed);
    const times = new Uint32Array(packed);
    const derivatives = reached > 0 ? new Float32Array(await this.gpu.read(this.derivatives)) : undefined;
    const positions = new Float64Array(3 * count);
    const velocities = new Float64Array(3 * count);
    for (let i = 0, at = 0, k = 0; i < count; i++, at += PARTICLE_WORDS) {
      const time = (reached - times[at + 11]) / LARGEST_TICKS;
      for (let axis = 0; axis < 3; axis++, k++) {
        let x = words[at + axis] + words[at + 4 + axis];
        let v = words[at + 8 + axis] + words[at + 12 + axis];
        if (derivatives) {
          const { ofX, ofV } = this.#taylor(derivatives, i, axis, time);
          x += time * (v + time * ofX);
          v += time * ofV;
        }
        positions[k] = units.origin + x / units.perLength;
        velocities[k] = v / units.perVelocity;
      }
    }
    return { positions, velocities };
  }

  /**
   * Looks through the first steps. Where accelerations cancel, as on the central body of a symmetric figure, |a|/|j|
   * says nothing: such a body takes the smallest step of the others. Returns a particle with a step below a tick.
   */
  async settleFirstSteps(): Promise<number | undefined> {
    const words = new Uint32Array(await this.gpu.read(this.particles));
    const derivatives = new Float32Array(await this.gpu.read(this.derivatives));
    const perParticle = this.integrator.gpu.derivativeBytes / 4;
    const sizes = Float64Array.from({ length: this.count }, (_, i) =>
      Math.hypot(...derivatives.subarray(perParticle * i, perParticle * i + 3)),
    );
    const negligible = NO_ACCELERATION * sizes.reduce((most, size) => Math.max(most, size), 0);
    const step = (i: number) => PARTICLE_WORDS * i + 15;
    let shortest = LARGEST_TICKS;
    for (let i = 0; i < this.count; i++) {
      if (sizes[i] <= negligible) continue;
      if (words[step(i)] === 0) return i;
      shortest = Math.min(shortest, words[step(i)]);
    }
    for (let i = 0; i < this.count; i++) if (sizes[i] <= negligible) words[step(i)] = shortest;
    this.gpu.device.queue.writeBuffer(this.particles, 0, words);
    return undefined;
  }

  setControl(words: Partial<Record<keyof typeof CONTROL, number>>): void {
    for (const [name, value] of Object.entries(words)) {
      const at = 4 * CONTROL[name as keyof typeof CONTROL];
      this.gpu.device.queue.writeBuffer(this.control, at, Uint32Array.of(value));
    }
  }

  /** Exact contents, for a checkpoint between blocks. */
  async save(): Promise<{ control: Uint32Array; particles: Uint32Array; derivatives: Uint32Array }> {
    const words = async (buffer: GPUBuffer) => new Uint32Array(await this.gpu.read(buffer));
    const control = (await words(this.control)).slice(0, SAVED_WORDS);
    // Of the last block, which loops leave or not.
    for (const word of [CONTROL.members, CONTROL.now]) control[word] = 0;
    return {
      control,
      particles: await words(this.particles),
      derivatives: await words(this.derivatives),
    };
  }

  /** Throws "input" when the arrays are of other particles or of another integrator. */
  restore(control: Uint32Array, particles: Uint32Array, derivatives: Uint32Array): void {
    const { queue } = this.gpu.device;
    const given = [control, particles, derivatives].map((array) => array.byteLength);
    const expected = [4 * SAVED_WORDS, this.particles.size, this.derivatives.size];
    if (given.join() !== expected.join()) {
      throw new GravmeshError(
        "input",
        `the checkpoint holds [${given}] bytes of control words, particles and derivatives, the direct sum of ${this.count} particles with this integrator has [${expected}]; use the scenario that wrote it`,
      );
    }
    queue.writeBuffer(this.control, 0, new Uint32Array(control));
    queue.writeBuffer(this.particles, 0, new Uint32Array(particles));
    queue.writeBuffer(this.derivatives, 0, new Uint32Array(derivatives));
  }

  /** What the derivatives of particle i add: x(t) = x + t(v + t·ofX), v(t) = v + t·ofV. */
  #taylor(derivatives: Float32Array, i: number, axis: number, time: number): { ofX: number; ofV: number } {
    const vectors = this.integrator.gpu.derivativeBytes / 16;
    let [ofX, ofV] = [0, 0];
    // From the highest: the acceleration is the first, with its low words the second.
    for (let order = vectors - 1; order >= 1; order--) {
      const at = 4 * (vectors * i + order) + axis;
      const value = order === 1 ? derivatives[at] + derivatives[at - 4] : derivatives[at];
      ofX = (value + time * ofX) / (order + 1);
      ofV = (value + time * ofV) / order;
    }
    return { ofX, ofV };
  }

  #records({ positions, velocities }: ParticleSet): Uint32Array<ArrayBuffer> {
    const { count, units, masses } = this;
    const integers = new Uint32Array(PARTICLE_WORDS * count);
    const floats = new Float32Array(integers.buffer);
    for (let i = 0, at = 0, k = 0; i < count; i++, at += PARTICLE_WORDS) {
      for (let axis = 0; axis < 3; axis++, k++) {
        const x = (positions[k] - units.origin) * units.perLength;
        const v = velocities[k] * units.perVelocity;
        floats[at + axis] = x;
        floats[at + 4 + axis] = x - floats[at + axis];
        floats[at + 8 + axis] = v;
        floats[at + 12 + axis] = v - floats[at + 8 + axis];
      }
      floats[at + 3] = units.gm(masses[i]);
      integers[at + 7] = i;
      integers[at + 15] = LARGEST_TICKS;
    }
    return integers;
  }
}

function requirePossible(
  settings: DirectPipelineSettings,
  { count, positions, velocities, masses }: ParticleSet,
): void {
  const { direct, step } = settings;
  if (!(step > 0 && Number.isFinite(step))) {
    throw new GravmeshError("input", `direct summation: expected a largest step above 0, found ${step}; set time.step`);
  }
  const { stepsNeedSoftening }: Integrator = integrators[direct.integrator];
  if (stepsNeedSoftening && direct.steps !== "shared" && !(direct.softening > 0)) {
    throw new GravmeshError(
      "scenario",
      `direct summation: ${direct.integrator} takes ${direct.steps} steps from √(softening/|a|), found softening ${direct.softening}; set direct.softening, or use a Hermite integrator`,
    );
  }
  for (let i = 0; i < count; i++) {
    const mass = masses[i];
    const sum = positions[3 * i] + positions[3 * i + 1] + positions[3 * i + 2];
    const speed = velocities[3 * i] + velocities[3 * i + 1] + velocities[3 * i + 2];
    if (!(mass >= 0 && Number.isFinite(mass + sum + speed))) {
      throw new GravmeshError(
        "input",
        `particle ${i}: expected a finite position and velocity and a mass from 0 up, found mass ${mass}, position ${positions.slice(3 * i, 3 * i + 3)}, velocity ${velocities.slice(3 * i, 3 * i + 3)}; look for it in the initial conditions`,
      );
    }
  }
}
