/**
 * The particle update of the kick–drift–kick leapfrog on the GPU: interpolate the acceleration, v += a·kick,
 * x += v·drift, and count each particle into its new cell for the next ordering (Aubert, Amini & David 2009, fig. 1;
 * Quinn et al. 1997). Faults (a velocity that is no number, a particle that moves half a box in a step or further
 * out than an image can hold) are noted on the GPU and turned into an error when the host looks.
 */
import leapfrogWgsl from "../../wgsl/time/leapfrog.wgsl";
import countSectionPart from "../../wgsl/time/leapfrog-count-section.wgsl";
import countWholePart from "../../wgsl/time/leapfrog-count-whole.wgsl";
import fetchedPart from "../../wgsl/time/leapfrog-fetched.wgsl";
import bufferPart from "../../wgsl/time/leapfrog-force-buffer.wgsl";
import texelsPart from "../../wgsl/time/leapfrog-force-texels.wgsl";
import inPlacePart from "../../wgsl/time/leapfrog-in-place.wgsl";
import { GravmeshError } from "../base/errors.ts";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, packUniform, u32 } from "../gpu/buffers.ts";
import { type ExternalSlots, externalFieldSources, externalSlots } from "../mesh/external-forces.ts";
import { FORCE_GHOSTS, forceSource, slabForceParts } from "../mesh/force-mesh.ts";
import { ForceTexels } from "../mesh/force-texels.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";
import { MOTION_FAULTS } from "../particles/motion.ts";
import type { Phase } from "../particles/phase.ts";
import { SectionGroups } from "../particles/section-groups.ts";
import { inSections, ownPlanes, sectionConstants, sectionSource, sectionUniform } from "../particles/sections.ts";
import { type BothHalves, FAULT_WORDS, SLOTS_A_MARK } from "../particles/windows.ts";
import type { EscapedParticles } from "./escaped.ts";
import { type LeapfrogShape, leapfrogShape, shapeName } from "./leapfrog-shapes.ts";

const GROUP = 64;

/** Updates that one batch can hold; their parameters lie in slots of a uniform buffer. */
export const MOST_UPDATES_IN_A_BATCH = 64;
const STEP_BYTES = 16;

const HEALTHY = 0xffffffff;
/** Binding of the section, where there are several. */
const SECTION = 14;
/** Faults in the order of the WGSL constants. */
const FAULTS = [MOTION_FAULTS.notFinite, MOTION_FAULTS.tooFarInAStep, MOTION_FAULTS.tooFarOut];

export interface LeapfrogOptions {
  /** By the kind of adapter and what there is to do when left out. */
  shape?: LeapfrogShape;
}

type Entry = "kick" | "kickAndDrift";

/** Kernels of a slab, for every window. */
type SlabKernels = readonly BothHalves[];

interface Kernels {
  /** For velocities in order; by slabs. */
  inPlace: Record<Entry, readonly SlabKernels[]>;
  /** For velocities that the ordering left behind; undefined where it leaves none. */
  fetching: Record<Entry, readonly SlabKernels[]> | undefined;
}

interface Parts {
  kernels: Kernels;
  stepSlots: GPUBuffer;
  external: ExternalSlots;
  /** Of every slab's every window; undefined where one dispatch sees all. */
  groups: SectionGroups | undefined;
  own: BufferPool;
  /** Of a shape that reads them. */
  texels: ForceTexels | undefined;
}

export class Leapfrog {
  /** Drifts encoded so far: the step number that a fault is reported with. A resumed run may set it. */
  steps = 0;
  readonly #used = new WeakMap<Batch, number>();
  #slot = 0;

  private constructor(
    private readonly stage: MeshStage,
    readonly shape: LeapfrogShape,
    private readonly parts: Parts,
  ) {}

  /** Throws "scenario" for too many external potentials. */
  static async create(stage: MeshStage, escaped: EscapedParticles, options: LeapfrogOptions = {}): Promise<Leapfrog> {
    const { gpu, particles, mesh, settings } = stage;
    const { boundary } = settings;
    const fieldSources = externalFieldSources(settings.externalPotentials);
    const own = gpu.buffers.pool();
    const external = externalSlots(own, settings, particles.heaviestSource, MOST_UPDATES_IN_A_BATCH);
    const stepSlots = own.uniform("steps", external.stride * MOST_UPDATES_IN_A_BATCH);
    const unused = boundary === "isolated" ? undefined : own.storage("no images", 4, "other");
    const slots = { buffer: stepSlots, offset: 0, size: STEP_BYTES };
    const sections = inSections(particles, mesh.starts);
    const kernelPlanes = mesh.slabs.map((slab) => ownPlanes(slab, mesh.cells));
    const sectionUniforms = mesh.slabs.map((slab, s) =>
      sections ? particles.windows.map((window) => sectionUniform(own, window, slab, kernelPlanes[s])) : [],
    );
    const shape = options.shape ?? leapfrogShape(stage);
    const texels = shape.texels ? await ForceTexels.create(gpu, mesh, own) : undefined;
    const kernel = async (entry: Entry, fetching: boolean): Promise<SlabKernels[]> => {
      const compiled = await gpu.kernel({
        label: `update/${entry} (${shapeName(shape)}${fetching ? ", fetching" : ""}${sections ? ", in sections" : ""})`,
        sources: [
          ...[sectionSource(sections), sections ? countSectionPart : countWholePart],
          ...[...fieldSources, leapfrogWgsl],
          ...[fetching ? fetchedPart : inPlacePart, ...(shape.texels ? [texelsPart] : [bufferPart, forceSource(mesh)])],
        ],
        entry,
        dynamicOffsets: external.dynamicOffsets,
        constants: {
          ...{
            ...meshConstants(settings.mesh, boundary),
            KEEP: shape.texels,
            RUN: shape.run,
            FORCE_GHOSTS: mesh.slabs[0].cut ? FORCE_GHOSTS : 0,
            ...{ FORCE: 5, FORCE_Z: 11 },
          },
          ...(sections && { ...sectionConstants(mesh.starts, SECTION), FAULTS: FAULT_WORDS, SLOTS_A_MARK }),
        },
      });
      return mesh.slabs.map((slab, s) => {
        const [force, rest] = slabForceParts(slab, mesh.cells);
        const { starts } = mesh.starts.slabs[s];
        return particles.windows.map((window, w) =>
          particles.ofWindow(window, ({ positions, velocities, images }, there) =>
            compiled.bind(
              ...[slots, external.binding, positions, velocities, unused ?? images],
              ...[force, escaped.monopole, starts, window.rank, window.marks],
              ...[there.velocities, rest, particles.origins ?? window.rank],
              texels?.view ?? slots, // a place that is left out where no texels are read
              ...(sections ? [sectionUniforms[s][w], mesh.starts.planeStarts] : []),
            ),
          ),
        );
      });
    };
    const both = async (fetching: boolean): Promise<Record<Entry, readonly SlabKernels[]>> => ({
      kickAndDrift: await kernel("kickAndDrift", fetching),
      kick: await kernel("kick", fetching),
    });
    const kernels = { inPlace: await both(false), fetching: particles.origins && (await both(true)) };
    const all = mesh.slabs.flatMap((_, s) => particles.windows.map((window) => ({ window, planes: kernelPlanes[s] })));
    const groups = sections ? await SectionGroups.create(gpu, own, mesh.starts, all, shape.run * GROUP) : undefined;
    const made = new Leapfrog(stage, shape, { kernels, stepSlots, external, groups, own, texels });
    made.resetHealth();
    return made;
  }

  /**
   * v += a·kick, x += v·drift [time], then counts each particle into its new cell. External potentials are those of
   * `time`, of the positions before the drift. At most MOST_UPDATES_IN_A_BATCH updates go into one batch, and one batch at
   * a time may be open.
   */
  encode(batch: Batch, kick: number, drift: number, time = 0): Batch {
    this.steps += 1;
    batch.stage("order");
    // For the counts: nothing needs the cells' starts any more.
    for (const { starts } of this.stage.mesh.starts.slabs) batch.clear(starts);
    const offset = this.#writeStep(batch, { kick, drift: (drift * 2 ** 32) / this.stage.particles.boxSize, time });
    return this.#dispatch(batch, "kickAndDrift", "counted", offset);
  }

  /** v += a·kick [time] alone: the closing half kick, which makes the state synchronous. */
  encodeKick(batch: Batch, kick: number, time = 0): Batch {
    const offset = this.#writeStep(batch, { kick, drift: 0, time });
    return this.#dispatch(batch, "kick", "accelerated", offset);
  }

  /** Has the batch's submission rejected with "numerical" naming the first step with a fault since the last one found. */
  watchHealth(batch: Batch): Batch {
    for (const { marks } of this.stage.particles.windows) {
      batch.read(marks, 0, 4 * FAULTS.length, (data) => this.#requireHealth(new Uint32Array(data)));
    }
    return batch;
  }

  /** Throws the same in a submission of its own. */
  async checkHealth(): Promise<void> {
    await this.watchHealth(this.stage.gpu.batch("looking for faults")).submit();
  }

  #requireHealth(words: Uint32Array): void {
    const first = [...words];
    const step = Math.min(...first);
    if (step === HEALTHY) return;
    throw new GravmeshError("numerical", `stage update, step ${step}: ${FAULTS[first.indexOf(step)]}`);
  }

  /** Forgets faults, as when an earlier state has been restored. */
  resetHealth(): void {
    const { gpu, particles } = this.stage;
    const healthy = new Uint32Array(FAULTS.length).fill(HEALTHY);
    for (const { marks } of particles.windows) gpu.device.queue.writeBuffer(marks, 0, healthy);
  }

  destroy(): void {
    this.parts.own.destroyAll();
  }

  /** Velocities are in order afterwards. */
  #dispatch(batch: Batch, entry: Entry, to: Phase, offset: number): Batch {
    const { kernels, texels, groups } = this.parts;
    const { current, count, phase } = this.stage.particles;
    const slabs = (phase.velocitiesBehind ? kernels.fetching! : kernels.inPlace)[entry];
    phase.advance("update", "accelerated", to, { velocitiesBehind: false });
    batch.stage("update");
    groups?.encode(batch);
    for (const [s, ofWindows] of slabs.entries()) {
      texels?.encode(batch, s);
      for (const [w, kernel] of ofWindows.entries()) {
        if (groups) groups.dispatch(batch, kernel[current], s * ofWindows.length + w, offset);
        else batch.dispatch(kernel[current], workgroups(Math.ceil(count / this.shape.run), GROUP), offset);
      }
    }
    return batch;
  }

  /** Writes the parameters of an update ahead of the batch's submission; gives their offset. */
  #writeStep(batch: Batch, { kick, drift, time }: { kick: number; drift: number; time: number }): number {
    const { stepSlots, external } = this.parts;
    const used = (this.#used.get(batch) ?? 0) + 1;
    if (used > MOST_UPDATES_IN_A_BATCH) {
      throw new Error(`${batch.label}: at most ${MOST_UPDATES_IN_A_BATCH} updates fit into one batch`);
    }
    this.#used.set(batch, used);
    const offset = external.stride * this.#slot;
    this.#slot = (this.#slot + 1) % MOST_UPDATES_IN_A_BATCH;
    const step = packUniform([...u32(this.stage.particles.count), ...f32(kick, drift), ...u32(this.steps)]);
    batch.write(stepSlots, offset, step);
    external.write(batch, offset, time);
    return offset;
  }
}
