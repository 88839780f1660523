/**
 * The steps of a particle mesh on the GPU, as figure 1 of Aubert, Amini & David (2009):
 *
 *   particles → [order by cell] → [deposit] → density → [Poisson] → potential → [gradient] → acceleration on the mesh
 *             ↖ [update: drift, kick] ← acceleration of the particles ← [interpolate] ↙
 *
 * Several steps go into one submission. While it runs the next is recorded; all that the host wants to know of it is read
 * back with it.
 */
import type { AdvanceControl, Extremes, StepPlan, StepSegment } from "../backend/backend.ts";
import { timesOf } from "../backend/backend.ts";
import { Diagnostics } from "../diagnostics/energy.ts";
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { InTurn } from "../gpu/in-turn.ts";
import { createMeshBuffers } from "../mesh/field.ts";
import { vectorsForTexels } from "../mesh/force-mesh.ts";
import { fieldsBySlot } from "../mesh/particle-field.ts";
import { SelfGravity } from "../mesh/self-gravity.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import { cellGrid, type MeshStage } from "../mesh/stage.ts";
import { ParticleBuffers } from "../particles/buffers.ts";
import { wholeBox } from "../particles/grid.ts";
import { Order } from "../particles/order.ts";
import type { ParticleSource } from "../particles/source.ts";
import { agreed } from "../ranks/ranks.ts";
import { eachSolves, type Sharing } from "../ranks/solving.ts";
import { EscapedParticles } from "../time/escaped.ts";
import { Leapfrog } from "../time/leapfrog.ts";
import { type OrbitRecorder, Sampler } from "../time/orbit-recorder.ts";
import { ForcesOfRanks } from "./forces-of-ranks.ts";
import { SUBMISSION_MS, stepsOfASubmission } from "./submissions.ts";

interface Along {
  plan: StepPlan;
  /** The kick that closes the step before. */
  owed: number;
  submissions: InTurn;
  control: AdvanceControl;
  recorder: OrbitRecorder | undefined;
  /** Takes the extremes at the end of a measured plan. */
  noteEnd: (extremes: Extremes) => void;
}

interface Parts {
  order: Order;
  escaped: EscapedParticles;
  gravity: SelfGravity;
  update: Leapfrog;
  /** Its time is that of the present state. */
  diagnostics: Diagnostics;
  /** Where several ranks share the particles. */
  ofRanks: ForcesOfRanks | undefined;
}

export class MeshSteps {
  readonly sampler: Sampler;
  /** What a step takes [ms], by the last submission; unknown before the first. */
  #ms = Number.POSITIVE_INFINITY;

  private constructor(
    readonly stage: MeshStage,
    readonly parts: Parts,
  ) {
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
    const mesh = createMeshBuffers(gpu, wholeBox(meshSettings.cells, boundary), { vectors });
    await gpu.buffers.settle();
    const order = await Order.create(gpu, particles, mesh.starts, cellGrid(meshSettings, mesh.grid));
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
    const diagnostics = Diagnostics.create(stage, escaped.monopole);
    await diagnostics.prepare();
    const ofRanks = solving && (await ForcesOfRanks.create(stage, solving, gravity, escaped));
    return new MeshSteps(stage, { order, gravity, escaped, update, diagnostics, ofRanks });
  }

  /** One force evaluation: particles that are counted into cells → force on the mesh. */
  async #force(batch: Batch): Promise<Batch> {
    this.parts.order.encodeSort(batch);
    return this.#forceOfSorted(batch);
  }

  async #forceOfSorted(batch: Batch): Promise<Batch> {
    const { ofRanks, gravity, escaped } = this.parts;
    return ofRanks ? ofRanks.encode(batch) : gravity.encode(escaped.encode(batch));
  }

  /**
   * The rest of a step whose levels take substeps, after the first of its drifts: kicks by what levels add at the present
   * positions, and drifts.
   */
  async #substeps(batch: Batch, step: { kick: number; drift: number; from: number; to: number }): Promise<Batch> {
    const { ofRanks, gravity, update } = this.parts;
    const { substeps } = update;
    let within = batch;
    for (let done = 1; done < substeps; done++) {
      within = await (ofRanks ?? gravity).encodeLevels(within);
      const time = step.from + (done / substeps) * (step.to - step.from);
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

  /**
   * To the end of a plan, or to where it is stopped: then how many steps have been submitted, and the kick that is owed. Rank
   * 0 knows the plan, and where it is stopped.
   */
  async along(on: Along): Promise<{ steps: number; owed: number } | undefined> {
    const { plan, owed, submissions, control, recorder, noteEnd } = on;
    const { update, diagnostics, ofRanks } = this.parts;
    const { sampler } = this;
    const { gpu } = this.stage;
    const { signal, onProgress, look, submission: longest = SUBMISSION_MS, most = Number.POSITIVE_INFINITY } = control;
    const { ranks } = diagnostics;
    const alone = ranks.size === 1;
    let [steps, reported, kick] = [0, 0, owed];
    const next = () => agreed(ranks, () => plainSegment(plan.next()));
    for (let segment = await next(), at = 0; ; segment = await next(), at = 0) {
      const { openings, drifts, closings } = segment.factors;
      const times = timesOf(segment, diagnostics.time);
      while (at < drifts.length) {
        // Two submissions are under way at a time, but not where a step alone is longer than either should be.
        if (this.#ms > longest) await submissions.drain();
        const fitting = stepsOfASubmission(this.#ms, { software: gpu.adapter.software, longest: control.submission });
        const ahead = await agreed(ranks, () => (signal?.aborted ? 0 : Math.min(fitting, most - steps)));
        if (ahead === 0) return { steps, owed: kick };
        // A rank sees its own particles alone.
        const seen = alone && (await sampler.prepare(look, () => submissions.drain()));
        const started = performance.now();
        const from = at;
        const room = Math.min(ahead, update.mostSteps, recorder?.stepsThatFit(update.steps) ?? Infinity);
        const end = Math.min(drifts.length, at + room);
        let batch = gpu.batch("steps");
        for (; at < end; at++) {
          update.encode(batch, kick + openings[at], drifts[at], times[at]);
          kick = closings[at];
          const within = { kick: openings[at] + kick, drift: drifts[at], from: times[at], to: times[at + 1] };
          batch = await this.#substeps(batch, within);
          diagnostics.time = times[at + 1];
          batch = await this.#force(batch);
          if (recorder?.isDue(update.steps)) {
            recorder.encode(batch, { step: update.steps, kick, time: diagnostics.time });
          }
        }
        if (seen) sampler.encode(batch, { step: update.steps, kick, time: diagnostics.time });
        const ended = at === drifts.length;
        if (ended && segment.last) update.encodeKick(batch, kick, diagnostics.time);
        const note = (extremes: Extremes) => {
          if (segment.last) noteEnd(extremes);
          plan.note(extremes);
        };
        let measured: Extremes | undefined;
        if (ended && segment.measured) {
          await diagnostics.measureExtremes(batch, (extremes) => {
            if (alone) note(extremes);
            else measured = extremes;
          });
        }
        recorder?.encodeRead(batch);
        update.health.watch(batch); // faults are noted on the GPU with the step in which they happened
        steps += end - from;
        await submissions.send(batch, started, (ms) => {
          reported += end - from;
          this.#ms = ms / (end - from);
          onProgress?.(reported);
        });
        await ofRanks?.handedOn();
        if (alone || !(ended && segment.measured)) continue;
        await submissions.drain();
        note(await diagnostics.ofAllRanks(measured!));
      }
      if (segment.last) return undefined;
    }
  }
}

/** To be sent to the other ranks. */
function plainSegment({ factors: { openings, drifts, closings }, times, last, measured }: StepSegment): StepSegment {
  const factors = { openings: Array.from(openings), drifts: Array.from(drifts), closings: Array.from(closings) };
  return { factors, ...(times && { times: Array.from(times) }), last, measured };
}
