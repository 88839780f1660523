/**
 * Energies, momenta, virial, centre of mass, Lagrangian radii and the largest acceleration and speed, reduced on the
 * GPU by sums that don't depend on the order of the particles (wgsl/diagnostics/diagnostics.wgsl), and read back at once.
 *   K = Σ ½ m v²,  U = ½ Σ m φ_mesh + Σ m φ_external + Σ_escaped m φ_monopole
 * φ_mesh contains a particle's own potential, uncorrected, as in Aubert, Amini & David 2009. In a periodic box, centre
 * of mass and angular momentum are those of the positions as they lie in [0, L): a particle that crosses a face
 * moves them.
 */

import diagnosticsWgsl from "../../wgsl/diagnostics/diagnostics.wgsl";
import meshFieldWgsl from "../../wgsl/mesh/mesh-field.wgsl";
import { GravmeshError } from "../base/errors.ts";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { BufferPool } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import {
  anyChanges,
  externalFieldSources,
  externalForcesBuffer,
  externalForcesWords,
} from "../mesh/external-forces.ts";
import { FIELD_GHOSTS } from "../mesh/field.ts";
import { forceBindings, forceReading, readingConstants } from "../mesh/force-reading.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";
import { massConstants, type ParticleBuffers } from "../particles/buffers.ts";
import { MASS_UNITS } from "../particles/fixed-point.ts";
import { boundInSections, sectionConstants, sectionsOf } from "../particles/sections.ts";
import { termSums, type Vector } from "../particles/sum-terms.ts";
import type { Sums } from "../particles/sums.ts";
import type { BothHalves, ParticleWindow } from "../particles/windows.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { lagrangianRadiiFromHistogram } from "./lagrangian.ts";
import { DiagnosticWords, LARGEST_WORDS, LAYOUT_CONSTANTS, TERMS_WGSL, WORDS } from "./layout.ts";

const GROUP = 64;
/** Consecutive particles per invocation: long runs spare a CPU adapter most of the reduction. */
const RUN = { software: 64, hardware: 16 };
export const runOn = ({ adapter }: GpuContext): number => (adapter.software ? RUN.software : RUN.hardware);

/** Binding of the section in diagnostics.wgsl. */
const SECTION = 13;

interface Extremes {
  acceleration: number;
  speed: number;
}

/** A dispatch over a chunk of particles, or over a section: a chunk and a slab of the mesh. */
interface Part {
  bound: BothHalves;
  groups: readonly [number, number];
}
type Kernel = readonly Part[];

type Entry = "extremes" | "fields" | "survey" | "settle" | "sums" | "perParticle";

export class Diagnostics {
  /** At which external potentials are taken [time]. */
  time = 0;
  readonly #kernels = new Map<Entry, Promise<Kernel>>();

  private constructor(
    private readonly gpu: GpuContext,
    private readonly particles: ParticleBuffers,
    private readonly parts: {
      totals: GPUBuffer;
      own: BufferPool;
      bind: (entry: Entry) => Promise<Kernel>;
      /** Writes the external potentials of a time; undefined where they don't change. */
      placeExternal: ((batch: Batch, time: number) => void) | undefined;
    },
  ) {}

  /** `monopole`: of the mass inside an isolated mesh, from EscapedParticles. */
  static create(stage: MeshStage, monopole: GPUBuffer): Diagnostics {
    const { gpu, particles, mesh, settings } = stage;
    const { externalPotentials } = settings;
    const { windows } = particles;
    const own = gpu.buffers.pool();
    const totals = own.storage("diagnostics", 4 * WORDS, "other");
    const externalForces = externalForcesBuffer(own, settings, particles.heaviestSource);
    const field = externalFieldSources(settings);
    const sources = [...field, diagnosticsWgsl, TERMS_WGSL, meshFieldWgsl, ...forceReading(stage)];
    const constants = {
      ...meshConstants({ mesh, particles }, settings.mesh),
      ...{ RUN: runOn(gpu), ...readingConstants(stage), FIELD_GHOSTS, FORCE: 6, FORCE_Z: 12 },
      ...LAYOUT_CONSTANTS,
      ...massConstants(particles),
      ...sectionConstants(particles, mesh.starts, SECTION),
    };
    const sections = sectionsOf(own, particles, mesh.starts);
    const eachWindow = sections.slice(0, windows.length); // in any slab: those look at no mesh
    const parts = {
      ...{ extremes: sections, fields: sections, perParticle: sections },
      ...{ survey: eachWindow, sums: eachWindow, settle: sections.slice(0, 1) },
    };
    const bind = async (entry: Entry) => {
      // Adaptive steps look for the extremes in every step.
      const UNROLLED = entry === "extremes";
      const kernel = await gpu.kernel({
        label: `diagnostics/${entry}`,
        sources,
        entry,
        constants: { ...constants, UNROLLED },
      });
      const bound = boundInSections(kernel, particles, parts[entry], (here, { slab, window }, there) => {
        const { positions, velocities, images, ids, massUnits } = here;
        const [force, rest] = forceBindings(stage, windows.indexOf(window), slab);
        // The half that isn't current has nothing to keep: the particles' own fields go where velocities and ids were.
        const [at2, at4] = entry === "perParticle" ? [there.velocities, there.ids] : [velocities, ids];
        return [
          ...[externalForces, positions, at2, images, at4, massUnits, force, monopole, totals],
          ...[mesh.slabs[slab].field, there.velocities, there.ids, rest],
        ];
      });
      return parts[entry].map(({ window }, s) => {
        const groups = entry === "settle" ? ([1, 1] as const) : workgroups(Math.ceil(window.count / runOn(gpu)), GROUP);
        return { bound: bound[s], groups };
      });
    };
    const { heaviestSource } = particles;
    const place = (batch: Batch, time: number) =>
      void batch.write(externalForces, 0, externalForcesWords(settings, heaviestSource, time));
    const placeExternal = anyChanges(externalPotentials) ? place : undefined;
    return new Diagnostics(gpu, particles, { totals, own, bind, placeExternal });
  }

  /** Those that share the particles. */
  get ranks(): Ranks {
    return this.particles.ranks;
  }

  /** Compiles what sums take, if that hasn't been done: their kernels in order. */
  prepare(): Promise<Kernel[]> {
    return Promise.all((["fields", "survey", "settle", "sums"] as const).map((entry) => this.#kernel(entry)));
  }

  /** Sums over all particles. Throws "numerical" when a quantity is no finite number. */
  async sums(): Promise<Sums> {
    const [fields, survey, ...summed] = await this.prepare();
    this.particles.takeOtherHalf();
    const { ranks } = this.particles;
    let batch = this.gpu.batch("sums over the particles");
    this.#encodeLargest(batch, fields);
    this.#dispatch(batch, survey);
    if (ranks.size > 1) {
      // The largest values and the centre of mass of all set the scales of the sums.
      const words = await this.#read(batch);
      await words.surveyed(ranks);
      batch = this.gpu.batch("sums over the particles").write(this.parts.totals, 0, words.data);
    }
    for (const kernel of summed) this.#dispatch(batch.stage("diagnostics"), kernel);
    const words = await this.#read(batch);
    await words.summed(ranks);
    return this.#sumsOf(words);
  }

  /** Largest |a| [velocity/time] and |v| [velocity]. Throws "numerical" when one is no finite number. */
  async extremes(): Promise<Extremes> {
    let found = { acceleration: 0, speed: 0 };
    const batch = this.gpu.batch("largest acceleration and speed");
    await this.measureExtremes(batch, (extremes) => {
      found = extremes;
    });
    await batch.submit();
    return this.ofAllRanks(found);
  }

  /** The largest of those that each rank has measured. */
  async ofAllRanks({ acceleration, speed }: Extremes): Promise<Extremes> {
    const { ranks } = this.particles;
    if (ranks.size === 1) return { acceleration, speed };
    // The bits of numbers that aren't negative order as they do.
    const bits = new BigInt64Array(Float64Array.of(acceleration, speed).buffer);
    await ranks.largest(bits);
    const [a, v] = new Float64Array(bits.buffer);
    return { acceleration: a, speed: v };
  }

  /** The same of this rank's particles with a batch's submission; `take` gets them when it is done. */
  async measureExtremes(batch: Batch, take: (extremes: Extremes) => void): Promise<void> {
    this.#encodeLargest(batch, await this.#kernel("extremes")).read(this.parts.totals, 0, 4 * LARGEST_WORDS, (data) => {
      const words = finite(new DiagnosticWords(data));
      take({ acceleration: Math.sqrt(words.largest("acceleration2")), speed: Math.sqrt(words.largest("speed2")) });
    });
  }

  /** Accelerations [3N, velocity/time] and whole potential [N, velocity²] by slot, until the next sums or ordering. */
  async perSlot(): Promise<Record<"accelerations" | "potential", (window: ParticleWindow) => GPUBuffer>> {
    const perParticle = await this.#kernel("perParticle");
    this.#expectForces();
    const { current } = this.particles;
    const other = current === 0 ? 1 : 0;
    this.particles.takeOtherHalf();
    const batch = this.gpu.batch("acceleration and potential of each particle").stage("diagnostics");
    await this.#dispatch(batch, perParticle).submit();
    return { accelerations: ({ velocities }) => velocities[other], potential: ({ ids }) => ids[other] };
  }

  destroy(): void {
    this.parts.own.destroyAll();
  }

  #expectForces(): void {
    this.particles.phase.expect("diagnostics", "accelerated");
  }

  /** A kernel is compiled when it is first asked for: many runs never ask for some of them. */
  #kernel(entry: Entry): Promise<Kernel> {
    const made = this.#kernels.get(entry) ?? this.parts.bind(entry);
    this.#kernels.set(entry, made);
    return made;
  }

  #encodeLargest(batch: Batch, kernel: Kernel): Batch {
    this.#expectForces();
    return this.#dispatch(batch.stage("diagnostics").clear(this.parts.totals), kernel);
  }

  #dispatch(batch: Batch, kernel: Kernel): Batch {
    this.parts.placeExternal?.(batch, this.time);
    for (const { bound, groups } of kernel) batch.dispatch(bound[this.particles.current], groups);
    return batch;
  }

  async #read(batch: Batch): Promise<DiagnosticWords> {
    return finite(new DiagnosticWords(await batch.readBack(this.parts.totals)));
  }

  #sumsOf(words: DiagnosticWords): Sums {
    const { heaviest, boxSize } = this.particles;
    const vector = (component: (axis: number) => number): Vector => [component(0), component(1), component(2)];
    const sum = (name: Parameters<typeof words.sum>[0], axis = 0) => heaviest * words.sum(name, axis);
    const units = words.survey("mass");
    const centreOfMass = vector((axis) =>
      units === 0n ? 0 : boxSize * meanPlace(words.survey("within", axis), words.survey("boxes", axis), units),
    );
    const force = vector((axis) => sum("force", axis));
    const aboutBoxCentre = sum("virial");
    const virial = force.reduce((w, f, axis) => w - f * (centreOfMass[axis] - boxSize / 2), aboutBoxCentre);
    return {
      ...termSums(sum),
      mass: (heaviest * Number(units)) / MASS_UNITS,
      centreOfMass,
      virial,
      outside: Number(words.survey("outside")),
      lagrangianRadii: lagrangianRadiiFromHistogram(words.histogram(), boxSize),
    };
  }
}

/** The words themselves. Throws "numerical" where one of the largest values is none. */
function finite(words: DiagnosticWords): DiagnosticWords {
  if (words.finite) return words;
  throw new GravmeshError(
    "numerical",
    "stage diagnostics: expected finite velocities, accelerations and potentials, found NaN or infinity; look for it in the initial conditions, or try a shorter time.step",
  );
}

/** Mean coordinate [boxes] of sums over mass units: of places in the box, cut to 24 bits, and of the boxes beside it. */
export const meanPlace = (within: bigint, boxes: bigint, units: bigint): number =>
  quotient(within, units << 24n) + 2 ** -25 + quotient(boxes, units); // half a unit back on average

/** a/b to float64's precision. */
function quotient(a: bigint, b: bigint): number {
  const whole = a / b;
  return Number(whole) + Number(((a - whole * b) << 60n) / b) * 2 ** -60;
}
