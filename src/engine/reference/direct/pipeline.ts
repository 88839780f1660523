/**
 * Direct summation on the CPU in float64 as a backend: the oracle of the GPU's, and what runs where there is none. Energies
 * take a force pass of their own: the force that an integrator carries belongs to the place before the last correction.
 */

import { GravmeshError } from "../../../foundation/base/errors.ts";
import { blocksOf } from "../../../physics/particles/blocks.ts";
import { weightsOf } from "../../../physics/particles/masses.ts";
import { wholeArrays } from "../../../physics/particles/saved-arrays.ts";
import type { ParticleSet } from "../../../physics/particles/state.ts";
import type { Sums } from "../../../physics/particles/sums.ts";
import { largest, sumParticles } from "../../../physics/particles/sums.ts";
import type {
  AdvanceControl,
  Backend,
  BlockRequest,
  ExactState,
  FieldAtPoints,
  ParticleBlock,
  ReadParticles,
  ReadRequest,
  StageTime,
  StateInPieces,
  Stopped,
} from "../../backend/backend.ts";
import { goesOn, STATE_FORMATS, stopped } from "../../backend/backend.ts";
import { massiveOf } from "../../direct/massive.ts";
import { summedFieldAt } from "../../direct/point-field.ts";
import type { DirectPipelineSettings } from "../../direct/settings.ts";
import { type SharingOptions, TargetSharing } from "../../direct/target-sharing.ts";
import { StageClock } from "../clock.ts";
import { DIRECT_STAGES, type DirectStage, ReferenceBlocks } from "./block-loop.ts";
import { LARGEST_STEP } from "./steps.ts";
import { ReferenceSummation } from "./summation.ts";

const STATE_FORMAT = STATE_FORMATS.direct.cpu;

/** Blocks that ranks advance without asking rank 0 whether to go on, unless they meet for forces. */
const BLOCKS_ALONE = 32;

/** Time between reports of progress within a largest step [ms]. */
const REPORT = 100;

/** The particles at present, box-centred, with the forces on them. */
interface Present {
  positions: Float64Array;
  velocities: Float64Array;
  accelerations: Float64Array;
  potentials: Float64Array;
  external: Float64Array;
}

export class ReferenceDirect implements Backend {
  readonly kind = "cpu";
  readonly #clock = new StageClock<DirectStage>(DIRECT_STAGES);
  readonly #blocks: ReferenceBlocks;
  readonly #sharing: TargetSharing | undefined;
  #present: Present | undefined;

  /** `sharing`: processes that sum together. */
  constructor(
    private readonly settings: DirectPipelineSettings,
    private readonly particles: ParticleSet,
    sharing?: SharingOptions,
  ) {
    this.#sharing = TargetSharing.of(sharing, massiveOf(particles.masses).count, "cpu");
    this.#blocks = new ReferenceBlocks(settings, particles, this.#clock, this.#sharing);
  }

  /**
   * Advances by `steps` largest steps of `dt`, one that an earlier call began among them. Throws "aborted" at the end of a
   * block, "numerical" when a step fails, and "usage" for another `dt` within a step.
   */
  async advance(steps: number, dt: number, control: AdvanceControl = {}): Promise<Stopped | undefined> {
    if (steps <= 0) return undefined;
    const blocks = this.#blocks;
    if (blocks.now !== 0 && dt !== blocks.dt) {
      throw new GravmeshError(
        "usage",
        `direct summation: a step of ${blocks.dt} has been begun, found a step of ${dt}; finish the one before the next`,
      );
    }
    const goal = blocks.stepsDone + steps;
    let reported = performance.now();
    const done = () => steps - (goal - blocks.stepsDone) + blocks.now / LARGEST_STEP;
    const report = () => {
      reported = performance.now();
      control.onProgress?.(done());
    };
    let alone = -1;
    const isStopped = async () => {
      const wanted = () => goesOn(control);
      if (!this.#sharing) return !wanted();
      alone = blocks.exchanged ? 0 : (alone + 1) % BLOCKS_ALONE;
      return alone === 0 && !(await this.#sharing.goesOn(wanted));
    };
    const stop = () => {
      report();
      return stopped(done(), control, "largest steps");
    };
    if (await isStopped()) return stop();
    if (!blocks.started || dt !== blocks.dt) await blocks.start(dt);
    while (blocks.stepsDone < goal) {
      if (await isStopped()) return stop();
      this.#present = undefined;
      await blocks.block();
      // The turns of a block's pieces say nothing about when the last report was.
      if (blocks.now === 0 || performance.now() - reported >= REPORT) report();
      await this.#clock.giveWay();
    }
    return undefined;
  }

  async sums(): Promise<Sums> {
    const { positions, velocities, accelerations, potentials, external } = await this.#presentParticles();
    const masses = weightsOf(this.particles.masses);
    return this.#clock.run("diagnostics", () => {
      // About the centre of the box: a box of no size, whose centre is the origin.
      const sums = sumParticles({
        ...{ positions, velocities, accelerations, masses },
        meshPotential: potentials,
        externalPotential: external,
        escaped: new Uint32Array(0),
        boxSize: 0,
      });
      const half = this.settings.boxSize / 2;
      const [x, y, z] = sums.centreOfMass;
      return { ...sums, centreOfMass: [x + half, y + half, z + half] };
    });
  }

  async extremes(): Promise<{ acceleration: number; speed: number }> {
    const { accelerations, velocities } = await this.#presentParticles();
    return { acceleration: largest(accelerations), speed: largest(velocities) };
  }

  async fieldAt(points: Float64Array): Promise<FieldAtPoints> {
    const { settings } = this;
    this.#blocks.predictPresent();
    const { positions, masses, ids } = this.#blocks.predicted;
    const engine = new ReferenceSummation({ ...settings.direct, order: "acceleration" });
    await engine.setSources({ positions, masses, ids });
    return summedFieldAt(engine, settings, points, this.#blocks.time);
  }

  async ownField(): Promise<FieldAtPoints> {
    const { accelerations, potentials, external } = await this.#presentParticles();
    return { accelerations: accelerations.slice(), potential: potentials.map((phi, i) => phi + external[i]) };
  }

  async readParticles(want: ReadRequest = {}): Promise<ReadParticles> {
    const forces = want.potential || want.accelerations ? await this.#presentParticles() : undefined;
    this.#blocks.predictPresent();
    const { positions, velocities } = this.#blocks.predicted;
    const { count, masses, components } = this.particles;
    return {
      count,
      positions: positions.map((x) => x + this.settings.boxSize / 2),
      velocities: velocities.slice(),
      masses: masses.slice(),
      components,
      ...(want.potential && {
        potential: Float32Array.from(forces!.potentials, (phi, i) => phi + forces!.external[i]),
      }),
      ...(want.accelerations && { accelerations: Float32Array.from(forces!.accelerations) }),
    };
  }

  async *readBlocks(want: BlockRequest = {}): AsyncGenerator<ParticleBlock> {
    yield* blocksOf(await this.readParticles(want), want);
  }

  async saveState(): Promise<ExactState> {
    const { orbits, kept, steps, stepsDone, now, started, dt, counts } = this.#blocks;
    return {
      format: STATE_FORMAT,
      arrays: {
        ...Object.fromEntries(kept.map((name) => [name, orbits[name].slice()])),
        times: steps.times.slice(),
        ticks: steps.ticks.slice(),
        clock: Uint32Array.of(stepsDone, now, started ? 1 : 0),
        largestStep: Float64Array.of(dt),
        counts: counts.slice(),
      },
    };
  }

  /** Throws "input" when the state is another backend's, integrator's or particle count's. */
  async restoreState({ format, arrays: saved }: StateInPieces): Promise<void> {
    const arrays = await wholeArrays(saved);
    if (format !== STATE_FORMAT) {
      throw new GravmeshError(
        "input",
        `Checkpoint: expected state of direct summation on the CPU ("${STATE_FORMAT}"), found "${format}". ` +
          "Resume with the backend that wrote it.",
      );
    }
    const blocks = this.#blocks;
    const places: [string, Float64Array | Uint32Array][] = [
      ...blocks.kept.map((name): [string, Float64Array] => [name, blocks.orbits[name]]),
      ...Object.entries(blocks.steps),
      ["counts", blocks.counts],
    ];
    const { clock, largestStep } = arrays;
    for (const [name, place] of places) requireLength(name, arrays[name], place.length);
    requireLength("clock", clock, 3);
    requireLength("largestStep", largestStep, 1);
    for (const [name, place] of places) place.set(arrays[name]);
    blocks.stepsDone = clock[0];
    blocks.now = clock[1];
    blocks.started = clock[2] === 1;
    blocks.dt = largestStep[0];
    this.#present = undefined;
  }

  stageTimes(): StageTime[] {
    return [...this.#clock.times(), ...(this.#sharing ? [this.#sharing.time] : [])];
  }

  memory(): ReturnType<Backend["memory"]> {
    const present =
      this.#present === undefined ? 0 : Object.values(this.#present).reduce((n, a) => n + a.byteLength, 0);
    const particles = this.#blocks.bytes + this.particles.masses.byteLength;
    return { total: particles + present, particles, mesh: 0, other: present };
  }

  /** Of the run since its start, across resumes; forces for diagnostics don't count. */
  counters(): Record<string, number> {
    const [blocks, particleSteps, interactions] = this.#blocks.counts;
    return { blocks, "particle steps": particleSteps, interactions };
  }

  destroy(): void {
    this.#present = undefined;
  }

  /** Forces at the present positions, kept until the next block. */
  async #presentParticles(): Promise<Present> {
    if (this.#present === undefined) {
      const blocks = this.#blocks;
      this.#clock.run("diagnostics", () => blocks.predictPresent());
      const { positions, velocities } = blocks.predicted;
      const forces = await blocks.presentForces();
      this.#present = { positions: positions.slice(), velocities: velocities.slice(), ...forces };
    }
    return this.#present;
  }
}

function requireLength(name: string, array: ArrayLike<number> | undefined, expected: number): void {
  if (array?.length === expected) return;
  throw new GravmeshError(
    "input",
    `Checkpoint: expected ${expected} numbers of ${name}, found ${array?.length ?? 0}. ` +
      "The checkpoint belongs to another scenario or is damaged.",
  );
}
