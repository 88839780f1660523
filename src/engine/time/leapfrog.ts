/**
 * The particle update of the kick–drift–kick leapfrog on the GPU: interpolate the acceleration, v += a·kick, x +=
 * v·drift, and count each particle into its new cell for the next ordering (Aubert, Amini & David 2009, fig. 1; Quinn et
 * al. 1997). Faults (a velocity that is no number, too large a move) become an error when the host looks.
 */
import countTogether from "../../../wgsl/engine/time/count-in-subgroups.wgsl";
import leapfrogWgsl from "../../../wgsl/engine/time/leapfrog.wgsl";
import bufferPart from "../../../wgsl/engine/time/leapfrog-force-buffer.wgsl";
import texelsPart from "../../../wgsl/engine/time/leapfrog-force-texels.wgsl";
import type { Batch } from "../../foundation/gpu/batch.ts";
import { type BufferPool, f32, packUniform, u32 } from "../../foundation/gpu/buffers.ts";
import type { Phase } from "../../physics/particles/phase.ts";
import {
  boundInSections,
  dispatchSections,
  type SectionKernels,
  sectionConstants,
  sectionsOf,
} from "../gpu-particles/sections.ts";
import { StepHealth } from "../gpu-particles/step-health.ts";
import { FAULT_WORDS, SLOTS_A_MARK } from "../gpu-particles/windows.ts";
import { type ExternalSlots, externalFieldSources, externalSlots } from "../mesh/force/external-forces.ts";
import { forceBindings, forceReading, readingConstants, substepsOf } from "../mesh/force/force-reading.ts";
import { type ForceTexels, forceTexels } from "../mesh/force/force-texels.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";
import type { EscapedParticles } from "./escaped.ts";
import { type LeapfrogShape, leapfrogShape, shapeName } from "./leapfrog-shapes.ts";

const GROUP = 64;

/** Updates that one batch can hold; their parameters lie in slots of a uniform buffer. */
export const MOST_UPDATES_IN_A_BATCH = 64;
const STEP_BYTES = 32;
const SECTION = 12;

interface Parts {
  on: SectionKernels;
  stepSlots: GPUBuffer;
  /** What they hold. */
  stepWords: Uint8Array<ArrayBuffer>;
  external: ExternalSlots;
  own: BufferPool;
  /** The force as texels, for a variant that reads them. */
  texels: ForceTexels | undefined;
}

interface StepParameters {
  kick: number;
  /** With substeps: the kick of what isn't the levels' own. */
  slow: number;
  drift: number;
  time: number;
}

export class Leapfrog {
  /** Drifts encoded so far: the step number that a fault is reported with. A resumed run may set it. */
  steps = 0;
  /** Kicks in a step by what levels add, or pairs. */
  readonly substeps: number;
  readonly health: StepHealth;
  readonly #used = new WeakMap<Batch, number>();
  #slot = 0;

  private constructor(
    private readonly stage: MeshStage,
    readonly shape: LeapfrogShape,
    private readonly parts: Parts,
  ) {
    this.substeps = substepsOf(stage);
    this.health = new StepHealth(stage.gpu, stage.particles);
  }

  /** Whether a batch has no room for another step with a closing kick. */
  full(batch: Batch): boolean {
    return (this.#used.get(batch) ?? 0) + this.substeps + 1 > MOST_UPDATES_IN_A_BATCH;
  }

  /** Throws "scenario" for too many external potentials. */
  static async create(stage: MeshStage, escaped: EscapedParticles, shape = leapfrogShape(stage)): Promise<Leapfrog> {
    const { gpu, particles, mesh, settings } = stage;
    const fieldSources = externalFieldSources(settings);
    const own = gpu.buffers.pool();
    const external = externalSlots(own, settings, particles.heaviestSource, MOST_UPDATES_IN_A_BATCH);
    const stepWords = new Uint8Array(external.stride * MOST_UPDATES_IN_A_BATCH);
    const stepSlots = own.uniform("steps", stepWords.length);
    const slots = { buffer: stepSlots, offset: 0, size: STEP_BYTES };
    const sections = sectionsOf(own, particles, mesh.starts);
    const texels = shape.texels ? await forceTexels(gpu, mesh, own) : undefined;
    const together = shape.run === 1 && gpu.device.features.has("subgroups");
    const compiled = await gpu.kernel({
      label: `update (${shapeName(shape)})`,
      sources: [
        ...[...fieldSources, leapfrogWgsl, ...(together ? [countTogether] : [])],
        ...(shape.texels ? [texelsPart] : [bufferPart, ...forceReading(stage)]),
      ],
      entry: together ? "updateTogether" : "update",
      dynamicOffsets: external.dynamicOffsets,
      constants: {
        ...meshConstants(stage, settings.mesh),
        ...{ KEEP: shape.texels, RUN: shape.run, ...readingConstants(stage), UNROLLED: !gpu.adapter.software },
        TOGETHER: together,
        ...{ FORCE: 5, FORCE_Z: 10, FAULTS: FAULT_WORDS, SLOTS_A_MARK },
        ...sectionConstants(particles, mesh.starts, SECTION),
      },
    });
    const kernels = boundInSections(compiled, particles, sections, ({ positions, velocities, images }, section) => {
      const { window, slab, starts } = section;
      const [force, rest] = forceBindings(stage, particles.windows.indexOf(window), slab);
      return [
        ...[slots, external.binding, positions, velocities, images],
        ...[force, escaped.monopole, starts, window.places, window.marks, rest],
        texels?.view ?? slots, // a place that is left out where no texels are read
      ];
    });
    const on = { sections, kernels, slots: shape.run * GROUP };
    return new Leapfrog(stage, shape, { on, stepSlots, stepWords, external, own, texels });
  }

  /**
   * v += a·kick, x += v·drift [time], then counts each particle into its new cell. External potentials are those of
   * `time`, before the drift. One batch at a time may be open, with at most MOST_UPDATES_IN_A_BATCH updates. With substeps
   * it is the first of them: the slow force kicks for the whole step. With levels' the last counts alone, with pairs' each.
   */
  encode(batch: Batch, kick: number, drift: number, time = 0): Batch {
    this.steps += 1;
    return this.#encodeDrift(
      batch,
      { kick, slow: kick, drift, time },
      "accelerated",
      this.#counts(this.substeps === 1),
    );
  }

  /** One of the others, by kick and drift of the whole step. */
  encodeSubstep(batch: Batch, { last, ...step }: { kick: number; drift: number; time: number; last: boolean }): Batch {
    return this.#encodeDrift(batch, { ...step, slow: 0 }, "pulled", this.#counts(last));
  }

  #counts(last: boolean): boolean {
    return last || this.stage.settings.pairs !== undefined;
  }

  #encodeDrift(batch: Batch, { drift, ...step }: StepParameters, from: Phase, counts: boolean): Batch {
    const { mesh, particles } = this.stage;
    batch.stage("order");
    // For the counts: nothing needs the cells' starts any more.
    if (counts) for (const { starts } of mesh.starts.slabs) batch.clear(starts);
    const fixed = (drift * 2 ** 32) / particles.boxSize / this.substeps;
    const offset = this.#writeStep(batch, { ...step, drift: fixed }, counts);
    this.stage.particles.phase.advance("update", from, counts ? "counted" : "drifted");
    return this.#dispatch(batch, offset);
  }

  /** v += a·kick [time] alone: the closing half kick, which makes the state synchronous. */
  encodeKick(batch: Batch, kick: number, time = 0): Batch {
    const offset = this.#writeStep(batch, { kick, slow: kick, drift: 0, time }, false);
    this.stage.particles.phase.expect("update", "accelerated");
    return this.#dispatch(batch, offset);
  }

  destroy(): void {
    this.parts.own.destroyAll();
  }

  #dispatch(batch: Batch, offset: number): Batch {
    const { on, texels } = this.parts;
    const { current } = this.stage.particles;
    const before = texels && ((slab: number) => void texels.encode(batch, slab));
    dispatchSections(batch.stage("update"), on, current, { offset, before });
    return batch;
  }

  /** Writes the parameters of an update ahead of the batch's submission; gives their offset. */
  #writeStep(batch: Batch, { kick, slow, drift, time }: StepParameters, counts: boolean): number {
    const { stepSlots, stepWords, external } = this.parts;
    const used = (this.#used.get(batch) ?? 0) + 1;
    if (used > MOST_UPDATES_IN_A_BATCH) {
      throw new Error(`${batch.label}: at most ${MOST_UPDATES_IN_A_BATCH} updates fit into one batch`);
    }
    this.#used.set(batch, used);
    const offset = external.stride * this.#slot;
    this.#slot = (this.#slot + 1) % MOST_UPDATES_IN_A_BATCH;
    const head = [...u32(this.stage.particles.count), ...f32(kick / this.substeps, drift), ...u32(this.steps)];
    const words = packUniform([...head, ...f32(slow), ...u32(counts ? 1 : 0)]);
    batch.writeThrough(stepSlots, stepWords, offset, words);
    external.write(batch, offset, time);
    return offset;
  }
}
