/**
 * The steps of a particle mesh on the GPU, as figure 1 of Aubert, Amini & David (2009):
 *
 *   particles → [order by cell] → [deposit] → density → [Poisson] → potential → [gradient] → acceleration on the mesh
 *             ↖ [update: drift, kick] ← acceleration of the particles ← [interpolate] ↙
 *
 * Several steps go into one submission. While it runs the next is recorded; all that the host wants to know of it is read
 * back with it.
 */
import type { Batch } from "../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { InTurn } from "../../foundation/gpu/in-turn.ts";
import { agreed } from "../../foundation/ranks/ranks.ts";
import { eachSolves, type Sharing } from "../../foundation/ranks/solving.ts";
import { wholeBoxGrid } from "../../physics/particles/grid.ts";
import type { ParticleSource } from "../../physics/particles/source.ts";
import { type AdvanceControl, type Extremes, isClosed, type StepPlan, type StepSegment } from "../backend/backend.ts";
import { DiagnosticSums } from "../diagnostics/energy.ts";
import { ParticleBuffers } from "../gpu-particles/buffers.ts";
import { ParticleOrder } from "../gpu-particles/order.ts";
import { createMeshBuffers } from "../mesh/field.ts";
import { vectorsForTexels } from "../mesh/force/force-mesh.ts";
import { fieldsBySlot } from "../mesh/levels/particle-field.ts";
import { SelfGravity } from "../mesh/self-gravity.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import { cellGrid, type MeshStage } from "../mesh/stage.ts";
import { Pairs } from "../p3m/pairs.ts";
import { EscapedParticles } from "../time/escaped.ts";
import { Leapfrog } from "../time/leapfrog.ts";
import type { Moment, Observer } from "../time/observer.ts";
import { Sampler } from "../time/orbit-recorder.ts";
import { ForcesOfRanks } from "./forces-of-ranks.ts";
import { NeutrinoStage } from "./neutrino-stage.ts";
import { type Ending, type Step, stepsOf } from "./planned-steps.ts";
import { Pacing } from "./submissions.ts";

interface Along {
  plan: StepPlan;
  /** The kick that closes the step before. */
  owed: number;
  submissions: InTurn;
  control: AdvanceControl;
  /** Those of outputs. */
  observers: readonly Observer[];
  /** Takes the extremes at the end of a segment that is measured and closed. */
  noteEnd: (extremes: Extremes) => void;
}

interface Parts {
  order: ParticleOrder;
  escaped: EscapedParticles;
  gravity: SelfGravity;
  update: Leapfrog;
  /** Its time is that of the present state. */
  diagnostics: DiagnosticSums;
  /** Where several ranks share the particles. */
  ofRanks: ForcesOfRanks | undefined;
  /** Massive ones. */
  neutrinos: NeutrinoStage | undefined;
  /** What they add to the smooth part of the force, with P³M. */
  pairs: Pairs | undefined;
}

export class MeshSteps {
  readonly sampler: Sampler;
  readonly #pacing: Pacing;

  private constructor(
    readonly stage: MeshStage,
    readonly parts: Parts,
  ) {
    this.#pacing = new Pacing(stage.gpu.adapter.software);
    this.sampler = new Sampler(stage, parts.escaped.monopole, parts.gravity.parts?.levels?.places);
  }

  /** Uploads the particles, compiles the kernels and orders the particles for the first time. */
  static async create(
    gpu: GpuContext,
    settings: PipelineSettings,
    set: ParticleSource,
    { ranks, solving: wished = ranks && eachSolves(ranks) }: Sharing,
  ): Promise<MeshSteps> {
    // Levels are solved by each rank.
    const solving = ranks && settings.levels?.length ? eachSolves(ranks) : wished;
    const { mesh: meshSettings, boundary, boxSize } = settings;
    const particles = await ParticleBuffers.create(gpu, set, { boxSize, boundary, ranks });
    const vectors = vectorsForTexels(gpu.adapter.software, meshSettings);
    const mesh = createMeshBuffers(gpu, wholeBoxGrid(meshSettings.cells, boundary), { vectors });
    await gpu.buffers.settle();
    const order = await ParticleOrder.create(gpu, particles, mesh.starts, cellGrid(meshSettings, mesh.grid));
    gpu.preparing.does("ordering the particles");
    const sorted = gpu.batch("first order");
    order.encodeCount(sorted);
    order.encodeSort(sorted);
    await sorted.submit();
    const fields = fieldsBySlot({ gpu, particles, settings });
    await gpu.buffers.settle();
    const stage = { gpu, particles, mesh, settings, ...fields, solving };
    const gravity = await SelfGravity.create(stage);
    const escaped = await EscapedParticles.create(stage);
    const update = await Leapfrog.create(stage, escaped);
    const diagnostics = DiagnosticSums.create(stage, escaped.monopole);
    diagnostics.time = settings.start ?? 0;
    await diagnostics.prepare();
    const ofRanks = solving && (await ForcesOfRanks.create(stage, solving, gravity, escaped));
    const pairs = await Pairs.create(stage);
    const neutrinos = NeutrinoStage.of(stage, gravity);
    return new MeshSteps(stage, { order, gravity, escaped, update, diagnostics, ofRanks, pairs, neutrinos });
  }

  /** One force evaluation: particles that are counted into cells → force on the mesh. */
  async #force(batch: Batch): Promise<Batch> {
    this.parts.order.encodeSort(batch);
    return this.#forceOfSorted(batch);
  }

  async #forceOfSorted(sorted: Batch): Promise<Batch> {
    const { ofRanks, gravity, escaped, pairs, diagnostics, neutrinos } = this.parts;
    const batch = (await neutrinos?.encode(sorted, diagnostics.time)) ?? sorted;
    const ofMesh = await (ofRanks ? ofRanks.encode(batch) : gravity.encode(escaped.encode(batch)));
    if (!pairs) return ofMesh;
    await ofRanks?.handedOn();
    return pairs.encode(ofMesh, diagnostics.time);
  }

  /**
   * The rest of a step whose levels or pairs take substeps, after the first of its drifts: kicks by what these add at the
   * present positions, and drifts. Particles are ordered anew for pairs, which cost much more.
   */
  async #substeps(batch: Batch, step: { kick: number; drift: number; from: number; to: number }): Promise<Batch> {
    const { ofRanks, gravity, update, order, pairs } = this.parts;
    const { substeps } = update;
    let within = batch;
    for (let done = 1; done < substeps; done++) {
      const time = step.from + (done / substeps) * (step.to - step.from);
      if (pairs) order.encodeSort(within);
      within = await (pairs?.encodeOwn(within, time) ?? (ofRanks ?? gravity).encodeLevels(within));
      update.encodeSubstep(within, { ...step, time, last: done === substeps - 1 });
    }
    return within;
  }

  /** Evaluates the force where it isn't that of the present positions: at the start, or after restoring a state. */
  async ensureForce(): Promise<void> {
    const { gpu, particles } = this.stage;
    const { phase } = particles;
    if (phase.now === "accelerated") return;
    const batch = gpu.batch("force");
    if (phase.now !== "counted" && phase.now !== "sorted") this.parts.order.encodeCount(batch);
    const evaluated = phase.now === "sorted" ? this.#forceOfSorted(batch) : this.#force(batch);
    await (await evaluated).submit();
    await this.parts.ofRanks?.handedOn();
  }

  /** A step with its force evaluation, the closing kick left out; `owed`: that of the step before. */
  async #step(batch: Batch, { opening, drift, closing, from, to }: Step, owed: number): Promise<Batch> {
    const { update, diagnostics } = this.parts;
    update.encode(batch, owed + opening, drift, from);
    const within = await this.#substeps(batch, { kick: opening + closing, drift, from, to });
    diagnostics.time = to;
    return this.#force(within);
  }

  /**
   * To the end of a plan, or to where it is stopped: then how many steps have been submitted, and the kick that is owed. Rank
   * 0 knows the plan, and where it is stopped.
   */
  async along(on: Along): Promise<{ steps: number; owed: number } | undefined> {
    const { plan, owed, submissions, control } = on;
    const { update, diagnostics, ofRanks } = this.parts;
    const { ranks } = diagnostics;
    const drain = () => submissions.drain();
    const ahead = stepsOf(plan, ranks, diagnostics.time);
    const observers = this.#observers(on);
    let [steps, reported, kick] = [0, 0, owed];
    for (;;) {
      await this.#pacing.makeWay(submissions, control);
      const room = await agreed(ranks, () => this.#pacing.next(steps, control));
      if (room === 0) return { steps, owed: kick };
      for (const observer of observers) await observer.prepare?.(drain);
      const started = performance.now();
      let batch = this.stage.gpu.batch("steps");
      let taken = 0;
      let end: Moment & Ending;
      do {
        const step = (await ahead.next()).value;
        batch = await this.#step(batch, step, kick);
        const { ends, to: time, closing } = step;
        kick = closing;
        if (ends && isClosed(ends)) {
          update.encodeKick(batch, kick, time);
          kick = 0;
        }
        end = { step: update.steps, time, kick, ends };
        for (const observer of observers) await observer.afterStep?.(batch, end);
        taken++;
      } while (
        !(taken === room || end.ends?.last || end.ends?.measured || [update, ...observers].some((o) => o.full?.(batch)))
      );
      for (const observer of observers) observer.atEnd?.(batch, end);
      update.health.watch(batch); // faults are noted on the GPU with the step in which they happened
      steps += taken;
      await submissions.send(batch, started, (ms) => {
        reported += taken;
        this.#pacing.took(ms, taken);
        control.onProgress?.(reported);
      });
      await ofRanks?.handedOn();
      for (const observer of observers) await observer.sent?.(end);
      if (end.ends?.last) return undefined;
    }
  }

  #observers({ plan, submissions, noteEnd, observers, control: { look } }: Along): Observer<Moment & Ending>[] {
    const { diagnostics } = this.parts;
    const alone = diagnostics.ranks.size === 1;
    const note = (ends: StepSegment, extremes: Extremes) => {
      if (ends.last) noteEnd(extremes);
      plan.note(extremes);
    };
    let own: Extremes | undefined;
    const atSegments: Observer<Moment & Ending> = {
      afterStep: async (batch, { ends }) => {
        if (ends?.onSums) await diagnostics.measureSums(batch, ends.onSums);
        if (!ends?.measured) return;
        await diagnostics.measureExtremes(batch, (extremes) => {
          if (alone) note(ends, extremes);
          else own = extremes;
        });
      },
      full: (batch) => diagnostics.full(batch),
      sent: async ({ ends }) => {
        if (alone || !ends?.measured) return;
        await submissions.drain();
        note(ends, await diagnostics.ofAllRanks(own!));
      },
    };
    // A rank sees its own particles alone.
    const sampler = alone && look ? [this.sampler.of(look)] : [];
    return [...observers, ...sampler, atSegments];
  }
}
