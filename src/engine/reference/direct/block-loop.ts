/**
 * Particles under direct summation, moved block by block in float64 (Portegies Zwart+ 2007, section 2): predict all
 * to the time at which the next steps end, sum the forces on the particles whose steps they are, correct those and
 * choose their next steps. Sums run in the order of the particles: a run continued from saved state repeats the same bits.
 */

import type { Share } from "../../../foundation/ranks/ranks.ts";
import type { ParticleSet } from "../../../physics/particles/state.ts";
import { emptyForces, type ForceArrays, type ForceOrder } from "../../direct/bodies.ts";
import type { Derivative, Float64Integrator, Integrator, Orbits } from "../../direct/integrators/integrator.ts";
import { integrators } from "../../direct/integrators.ts";
import { type Massive, massiveOf } from "../../direct/massive.ts";
import type { DirectPipelineSettings } from "../../direct/settings.ts";
import type { TargetSharing } from "../../direct/target-sharing.ts";
import type { StageClock } from "../clock.ts";
import { addExternalForces, type ExternalForcesOptions } from "./external.ts";
import { type Bodies, sumForces } from "./forces.ts";
import {
  type BlockSteps,
  chooseFirstSteps,
  chooseSteps,
  LARGEST_STEP,
  listActive,
  nextTime,
  type StepContext,
} from "./steps.ts";

export const DIRECT_STAGES = ["predict", "force", "correct", "diagnostics"] as const;
export type DirectStage = (typeof DIRECT_STAGES)[number];

/** Pairs summed between two looks at the clock: some 10 ms of work. */
const PAIRS_IN_A_PIECE = 2 ** 20;

const VECTORS = ["positions", "velocities", "accelerations"] as const;
const DERIVATIVES: readonly Derivative[] = ["jerks", "snaps", "crackles"];

export class ReferenceBlocks {
  readonly count: number;
  readonly orbits: Orbits;
  readonly steps: BlockSteps;
  /** All particles at the time of the last prediction; masses are G·m. */
  readonly predicted: Bodies;
  /** Those of them with mass: what forces are of. */
  readonly sources: Bodies;
  /** The largest step [time]. */
  dt: number;
  /** Ticks since the largest step began. */
  now = 0;
  /** Largest steps done. */
  stepsDone = 0;
  /** Accelerations and derivatives have been summed. */
  started = false;
  /** Blocks, particle steps and interactions so far. */
  readonly counts = new Float64Array(3);
  /** Whether ranks shared out the last sum. */
  exchanged = false;
  readonly #massive: Massive;
  readonly #integrator: Integrator;
  readonly #float64: Float64Integrator;
  readonly #forces: ForceArrays;
  readonly #wanted: Float64Array;
  readonly #active: Uint32Array;
  readonly #everyone: Uint32Array;
  /** When the last prediction is for. */
  #time = 0;

  /** Positions in `particles` are box coordinates; here they are relative to the centre of the box. */
  constructor(
    private readonly settings: DirectPipelineSettings,
    particles: ParticleSet,
    private readonly clock: StageClock<DirectStage>,
    /** Ranks that share out the targets of long sums. */
    private readonly sharing?: TargetSharing,
  ) {
    const { count, positions, velocities, masses } = particles;
    const { boxSize, G, direct } = settings;
    this.#integrator = integrators[direct.integrator];
    this.#float64 = this.#integrator.float64(direct);
    this.count = count;
    this.dt = settings.step;
    const kept = (derivative: Derivative) => this.#integrator.keeps.includes(derivative);
    const [jerks, snaps, crackles] = DERIVATIVES.map((key) => new Float64Array(kept(key) ? 3 * count : 0));
    this.orbits = {
      positions: positions.map((x) => x - boxSize / 2),
      velocities: Float64Array.from(velocities),
      accelerations: new Float64Array(3 * count),
      ...{ jerks, snaps, crackles },
    };
    this.steps = { times: new Uint32Array(count), ticks: new Uint32Array(count).fill(LARGEST_STEP) };
    this.#everyone = Uint32Array.from({ length: count }, (_, i) => i);
    this.predicted = {
      count,
      positions: new Float64Array(3 * count),
      velocities: new Float64Array(3 * count),
      accelerations: new Float64Array(this.#integrator.order === "snap" ? 3 * count : 0),
      masses: masses.map((m) => G * m),
      ids: this.#everyone,
    };
    this.#massive = massiveOf(this.predicted.masses);
    this.sources = sourcesOf(this.predicted, this.#massive);
    this.#forces = emptyForces(this.#integrator.order, count);
    this.#wanted = new Float64Array(count);
    this.#active = new Uint32Array(count);
  }

  /** Names of the arrays of `orbits` that are in use. */
  get kept(): (keyof Orbits)[] {
    return ["positions", "velocities", "accelerations", ...this.#integrator.keeps];
  }

  /** Sums the forces to start from, unless there are any, and chooses the first steps for a largest step of `dt`. */
  async start(dt: number): Promise<void> {
    this.dt = dt;
    if (!this.started) await this.#firstForces();
    const { orbits, count } = this;
    this.clock.run("correct", () => {
      for (let i = 0; i < count; i++) this.#wanted[i] = this.#float64.firstStep(orbits, i);
      chooseFirstSteps(this.steps, this.#wanted, orbits.accelerations, this.#context());
    });
    this.started = true;
  }

  /** Advances the particles whose steps end next. Throws "numerical" when a step fails. */
  async block(): Promise<void> {
    const { orbits, steps, predicted, dt } = this;
    const now = nextTime(steps);
    const tick = dt / LARGEST_STEP;
    let active = 0;
    this.clock.run("predict", () => {
      active = listActive(steps, now, this.#active);
      this.#predict(now);
    });
    await this.#sum(this.#integrator.order, this.#active, active);
    this.now = now;
    const at = { predicted, forces: this.#forces };
    this.clock.run("correct", () => {
      for (let slot = 0; slot < active; slot++) {
        const i = this.#active[slot];
        const step = steps.ticks[i] * tick;
        this.#wanted[slot] = this.#float64.correct(orbits, i, step, at, slot);
      }
      chooseSteps(steps, this.#active, active, this.#wanted, this.#context());
    });
    this.counts[0] += 1;
    this.counts[1] += active;
    if (now < LARGEST_STEP) return;
    this.now = 0;
    steps.times.fill(0);
    this.stepsDone += 1;
  }

  /** Writes all particles as they are at `now` to `predicted`. */
  predictPresent(): void {
    this.#predict(this.now);
  }

  /** Accelerations and potentials (of particles, and of the fields apart) at the `predicted` positions. */
  async presentForces(): Promise<{ accelerations: Float64Array; potentials: Float64Array; external: Float64Array }> {
    const order = "acceleration";
    const forces = emptyForces(order, this.count);
    const external = new Float64Array(this.count);
    const all = { order, out: forces, rows: this.#everyone, potentials: external } as const;
    const out = { ...forces, external };
    await this.#shared(out, this.count, "diagnostics", (first, last) => this.#pieceOfForces({ ...all, first, last }));
    return out;
  }

  /** Of the last prediction, since the beginning [time]. */
  get time(): number {
    return this.#time;
  }

  /** Bytes held. */
  get bytes(): number {
    const copies = this.#massive.inFront ? [] : [this.sources];
    const arrays = [this.orbits, this.steps, this.predicted, ...copies, this.#forces].flatMap((group) =>
      Object.values(group),
    );
    const bytes = [...arrays, this.#wanted, this.#active].map((array) =>
      ArrayBuffer.isView(array) ? array.byteLength : 0,
    );
    return bytes.reduce((sum, size) => sum + size, 0);
  }

  async #firstForces(): Promise<void> {
    const { orbits, predicted, count } = this;
    for (const order of this.#integrator.start) {
      this.clock.run("predict", () => {
        predicted.positions.set(orbits.positions);
        predicted.velocities.set(orbits.velocities);
        if (order === "snap") predicted.accelerations.set(orbits.accelerations);
        this.#gatherSources();
      });
      await this.#sum(order, this.#everyone, count);
      orbits.accelerations.set(this.#forces.accelerations);
      if (orbits.jerks.length > 0) orbits.jerks.set(this.#forces.jerks!);
      if (order === "snap") orbits.snaps.set(this.#forces.snaps!);
    }
  }

  #predict(now: number): void {
    this.#time = (this.stepsDone + now / LARGEST_STEP) * this.dt;
    const { orbits, predicted, steps } = this;
    const tick = this.dt / LARGEST_STEP;
    for (let i = 0; i < this.count; i++) {
      this.#float64.predict(orbits, i, (now - steps.times[i]) * tick, predicted);
    }
    this.#gatherSources();
  }

  /** Copies the predicted bodies with mass to the sources, where tracers lie between them. */
  #gatherSources(): void {
    const { rows, inFront } = this.#massive;
    if (inFront) return;
    for (const key of VECTORS) {
      const [from, to] = [this.predicted[key], this.sources[key]];
      if (to.length === 0) continue;
      rows.forEach((row, slot) => {
        for (let axis = 0; axis < 3; axis++) to[3 * slot + axis] = from[3 * row + axis];
      });
    }
  }

  /** Writes the forces on particles `rows[0 … count)` at their predicted places, by place in the list. */
  async #sum(order: ForceOrder, rows: Uint32Array, count: number): Promise<void> {
    const listed = { order, out: this.#forces, rows };
    await this.#shared(this.#forces, count, "force", (first, last) => this.#pieceOfForces({ ...listed, first, last }));
    this.counts[2] += count * this.sources.count;
  }

  /** `work` on the first `count` targets; where ranks share them out, on this rank's, and the others' rows of `out` come in. */
  async #shared(
    out: object,
    count: number,
    stage: DirectStage,
    work: (first: number, last: number) => void,
  ): Promise<void> {
    const sharing = this.sharing?.isShared(count) ? this.sharing : undefined;
    this.exchanged = sharing !== undefined;
    const share = sharing?.shareOf(count) ?? { first: 0, count };
    await this.#inPieces(share, stage, work);
    if (!sharing) return;
    const columns = Object.values(out).map((array: Float64Array) => ({ array, width: array.length / this.count }));
    const { stepsDone, now, counts } = this;
    await sharing.exchange(count, columns, [count, stepsDone, now, ...counts]);
  }

  #pieceOfForces(piece: Omit<ExternalForcesOptions, "potential" | "origin" | "time" | "G" | "bodies">): void {
    const { direct, externalPotentials, boxSize, G } = this.settings;
    const { predicted, sources } = this;
    const { softening, softeningKernel } = direct;
    sumForces({ ...piece, softening, softeningKernel, targets: predicted, sources });
    for (const potential of externalPotentials) {
      addExternalForces({ ...piece, potential, origin: boxSize / 2, time: this.#time, G, bodies: predicted });
    }
  }

  /** Runs `work` over a share in pieces, with turns for the event loop between them. */
  async #inPieces(share: Share, stage: DirectStage, work: (first: number, last: number) => void): Promise<void> {
    const size = Math.max(1, Math.floor(PAIRS_IN_A_PIECE / this.sources.count));
    const end = share.first + share.count;
    for (let { first } = share; first < end; first += size) {
      this.clock.run(stage, () => work(first, Math.min(end, first + size)), first === share.first);
      await this.clock.giveWay();
    }
  }

  #context(): StepContext {
    const { dt, now, stepsDone } = this;
    const tick = dt / LARGEST_STEP;
    return { scheme: this.settings.direct.steps, tick, now, time: stepsDone * dt + now * tick };
  }
}

/** The first of the bodies, or room for those with mass. */
function sourcesOf(bodies: Bodies, { count, rows, inFront }: Massive): Bodies {
  if (inFront) return { ...bodies, count };
  const room = (vectors: Float64Array) => new Float64Array(vectors.length > 0 ? 3 * count : 0);
  return {
    ...{ count, ids: rows, masses: Float64Array.from(rows, (row) => bodies.masses[row]) },
    ...{ positions: room(bodies.positions), velocities: room(bodies.velocities) },
    accelerations: room(bodies.accelerations),
  };
}
