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
import uncountedPart from "../../wgsl/time/leapfrog-uncounted.wgsl";
import { GravmeshError } from "../errors.ts";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, packUniform, u32 } from "../gpu/buffers.ts";
import { fastest, settled } from "../gpu/tune.ts";
import { type ExternalSlots, externalFieldSources, externalSlots } from "../mesh/external-forces.ts";
import { type MeshStage, meshConstants } from "../mesh/field.ts";
import { FORCE_GHOSTS, forceSource, slabForceParts } from "../mesh/force-mesh.ts";
import { ForceTexels, texelsMayWin } from "../mesh/force-texels.ts";
import { MOTION_FAULTS } from "../particles/motion.ts";
import type { Phase } from "../particles/phase.ts";
import { SectionGroups } from "../particles/section-groups.ts";
import { inSections, ownPlanes, sectionConstants, sectionSource, sectionUniform } from "../particles/sections.ts";
import { type BothHalves, FAULT_WORDS, SLOTS_A_MARK } from "../particles/windows.ts";
import type { EscapedParticles } from "./escaped.ts";
import { type LeapfrogShape, leapfrogShapes, shapeName, usualShapes } from "./leapfrog-shapes.ts";
import { LeapfrogTrial } from "./leapfrog-trial.ts";

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
  /** Measured on the adapter and the particles by default. */
  shape?: LeapfrogShape;
}

/** "driftUncounted": kick and drift without counting the particles into their new cells. */
type Entry = "kick" | "kickAndDrift" | "driftUncounted";

/** Kernels of a slab, for every window. */
type SlabKernels = readonly BothHalves[];

/** By slabs. */
type EntryKernels = Partial<Record<Entry, readonly SlabKernels[]>>;

interface Kernels {
  /** For velocities in order. */
  inPlace: EntryKernels;
  /** For velocities that the ordering left behind; undefined where it leaves none. */
  fetching: EntryKernels | undefined;
}

interface Parts {
  kernels: Kernels;
  /** Of the shape in use, for what isn't among `kernels` yet. */
  compile: (entry: Entry, fetching: boolean) => Promise<readonly SlabKernels[]>;
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

  /**
   * Made after the ordering, best with the particles in cell order and before the first force: measuring the shapes loses
   * both.
   * Throws "scenario" for too many external potentials.
   */
  static async create(stage: MeshStage, escaped: EscapedParticles, options: LeapfrogOptions = {}): Promise<Leapfrog> {
    const { gpu, particles, mesh, settings } = stage;
    const { boundary } = settings;
    const fieldSources = externalFieldSources(settings.externalPotentials);
    const own = gpu.buffers.pool();
    const external = externalSlots(own, settings, particles.heaviestSource, MOST_UPDATES_IN_A_BATCH);
    const stepSlots = own.uniform("steps", external.stride * MOST_UPDATES_IN_A_BATCH);
    const unused = boundary === "isolated" ? undefined : own.storage("no images", 4, "other");
    const slots = { buffer: stepSlots, offset: 0, size: STEP_BYTES };
    const texelPool = own.pool();
    const sections = inSections(particles, mesh.starts);
    const countPart = sections ? countSectionPart : countWholePart;
    const kernelPlanes = mesh.slabs.map((slab) => ownPlanes(slab, mesh.cells));
    const sectionUniforms = mesh.slabs.map((slab, s) =>
      sections ? particles.windows.map((window) => sectionUniform(own, window, slab, kernelPlanes[s])) : [],
    );
    let texels: ForceTexels | undefined;
    const kernel = async (entry: Entry, shape: LeapfrogShape, fetching = false): Promise<SlabKernels[]> => {
      const { run, keep } = shape;
      if (shape.texels) texels ??= await ForceTexels.create(gpu, mesh, texelPool);
      const compiled = await gpu.kernel({
        label: `update/${entry} (${shapeName(shape)}${fetching ? ", fetching" : ""}${sections ? ", in sections" : ""})`,
        sources: [
          ...[sectionSource(sections), entry === "driftUncounted" ? uncountedPart : countPart],
          ...[...fieldSources, leapfrogWgsl],
          ...[fetching ? fetchedPart : inPlacePart, ...(shape.texels ? [texelsPart] : [bufferPart, forceSource(mesh)])],
        ],
        entry: entry === "driftUncounted" ? "kickAndDrift" : entry,
        dynamicOffsets: external.dynamicOffsets,
        constants: {
          ...{
            ...meshConstants(settings.mesh, boundary),
            KEEP: keep,
            RUN: run,
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
    const both = async (shape: LeapfrogShape, fetching: boolean): Promise<EntryKernels> => ({
      kickAndDrift: await kernel("kickAndDrift", shape, fetching),
      kick: await kernel("kick", shape, fetching),
    });
    const ofShape = async (shape: LeapfrogShape): Promise<Leapfrog> => {
      const inPlace = await both(shape, false);
      const kernels = { inPlace, fetching: particles.origins && (await both(shape, true)) };
      const all = mesh.slabs.flatMap((_, s) =>
        particles.windows.map((window) => ({ window, planes: kernelPlanes[s] })),
      );
      const groups = sections ? await SectionGroups.create(gpu, own, mesh.starts, all, shape.run * GROUP) : undefined;
      const parts = {
        ...{ kernels, stepSlots, external, groups, own, texels: shape.texels ? texels : undefined },
        compile: (entry: Entry, fetching: boolean) => kernel(entry, shape, fetching),
      };
      const made = new Leapfrog(stage, shape, parts);
      made.resetHealth();
      return made;
    };
    if (options.shape) return ofShape(options.shape);
    const { assignment } = settings.mesh;
    const withTexels = texelsMayWin(gpu, assignment, mesh.cells);
    const offered = leapfrogShapes(withTexels);
    const bringing = withTexels ? (mesh.slabs[0].vectors ? "copied" : "written") : "none";
    const trial = new LeapfrogTrial(stage, stepSlots);
    const size = Math.round(Math.log2(particles.count));
    const about = `update ${assignment}, ${boundary}, ${mesh.cells}^3 cells, 2^${size} particles, `;
    const begun = gpu.choices.earlier(about);
    // Sections aren't measured, and the particles of a run that goes on aren't there yet.
    const crowd = sections || begun ? 0 : Math.round(Math.log2(await trial.crowd(assignment)));
    const question = {
      stage: "update" as const,
      purpose: begun?.purpose ?? `${about}2^${crowd} in a base cell`,
      elements: sections ? 0 : Math.max(particles.count, mesh.cells ** 3),
      usual: usualShapes({ assignment, texels: bringing, crowd, perCell: particles.count / mesh.cells ** 3 }),
    };
    const known = settled(gpu, question, offered.map(shapeName));
    if (known) return ofShape(offered.find((candidate) => shapeName(candidate) === known)!);
    const bound: (readonly SlabKernels[])[] = [];
    const winner = await fastest(
      gpu,
      question,
      offered.map((candidate, i) => ({
        name: shapeName(candidate),
        run: async (times, clock) => {
          bound[i] ??= await kernel("kickAndDrift", candidate);
          await trial.prepare();
          return clock.ofGpu("the update", times, (batch) => {
            if (candidate.texels) texels?.encode(batch, 0, trial.share);
            trial.encode(batch, bound[i][0][0], candidate.run, GROUP);
          });
        },
      })),
    );
    const self = await ofShape(offered.find((candidate) => shapeName(candidate) === winner)!);
    if (!self.shape.texels) texelPool.destroyAll();
    return self;
  }

  /** Compiles what `encode` needs that doesn't count, the first time. */
  async prepareUncounted(): Promise<void> {
    const { kernels, compile } = this.parts;
    kernels.inPlace.driftUncounted ??= await compile("driftUncounted", false);
    if (kernels.fetching) kernels.fetching.driftUncounted ??= await compile("driftUncounted", true);
  }

  /**
   * v += a·kick, x += v·drift [time], then counts each particle into its new cell, unless the order is to stay as it is.
   * External potentials are those of `time`, of the positions before the drift. At most MOST_UPDATES_IN_A_BATCH updates go
   * into one batch, and one batch at a time may be open.
   */
  encode(batch: Batch, kick: number, drift: number, time = 0, { counting = true } = {}): Batch {
    this.steps += 1;
    // For the counts: nothing needs the cells' starts any more.
    if (counting) for (const { starts } of this.stage.mesh.starts.slabs) batch.stage("order").clear(starts);
    const offset = this.#writeStep(batch, { kick, drift: (drift * 2 ** 32) / this.stage.particles.boxSize, time });
    const [entry, to] = counting ? (["kickAndDrift", "counted"] as const) : (["driftUncounted", "drifted"] as const);
    return this.#dispatch(batch, entry, to, offset);
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
    if (!slabs) throw new Error(`update/${entry}: expected to be prepared`);
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
