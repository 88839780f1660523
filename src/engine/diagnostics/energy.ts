/**
 * Energies, momenta, virial, centre of mass, Lagrangian radii and the largest acceleration and speed, reduced on the
 * GPU by sums that don't depend on the order of the particles (wgsl/engine/diagnostics/diagnostics.wgsl), and read back at once.
 *   K = Σ ½ m v²,  U = ½ Σ m φ_mesh + Σ m φ_external + Σ_escaped m φ_monopole
 * φ_mesh contains a particle's own potential, uncorrected, as in Aubert, Amini & David 2009. In a periodic box, centre
 * of mass and angular momentum are those of the positions as they lie in [0, L): a particle that crosses a face
 * moves them.
 */

import diagnosticsWgsl from "../../../wgsl/engine/diagnostics/diagnostics.wgsl";
import meshFieldWgsl from "../../../wgsl/engine/mesh/mesh-field.wgsl";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import type { BufferPool } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Ranks } from "../../foundation/ranks/ranks.ts";
import { MASS_UNITS } from "../../physics/particles/fixed-point.ts";
import { type MutableVector, termSums } from "../../physics/particles/sum-terms.ts";
import type { Sums } from "../../physics/particles/sums.ts";
import { massConstants, type ParticleBuffers } from "../gpu-particles/buffers.ts";
import { boundInSections, sectionConstants, sectionsOf } from "../gpu-particles/sections.ts";
import type { BothHalves, ParticleWindow } from "../gpu-particles/windows.ts";
import { FIELD_GHOSTS } from "../mesh/field.ts";
import { type ExternalSlots, externalFieldSources, externalSlots } from "../mesh/force/external-forces.ts";
import { forceBindings, forceReading, readingConstants } from "../mesh/force/force-reading.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";
import { lagrangianRadiiFromHistogram } from "./lagrangian.ts";
import { DiagnosticWords, LARGEST_WORDS, LAYOUT_CONSTANTS, TERMS_WGSL, WORDS } from "./layout.ts";

const GROUP = 64;
/** Consecutive particles per invocation: long runs spare a CPU adapter most of the reduction. */
const RUN = { software: 64, hardware: 16 };
/** Looks that a submission has room for: each at the external potentials of its time. */
const MOST_LOOKS = 17;
export const runOn = ({ adapter }: GpuContext): number => (adapter.software ? RUN.software : RUN.hardware);

/** Bindings of the section and the force in diagnostics.wgsl. */
const SECTION = 13;
const FORCE = 6;
const FORCE_Z = 12;

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
/** Those that ask for no external potential. */
const LOOKS_AT_NONE: readonly Entry[] = ["survey", "settle"];

export class DiagnosticSums {
  /** At which external potentials are taken [time]. */
  time = 0;
  readonly #kernels = new Map<Entry, Promise<Kernel>>();
  /** Looks that a batch has. */
  readonly #looks = new WeakMap<Batch, number>();

  private constructor(
    private readonly gpu: GpuContext,
    private readonly particles: ParticleBuffers,
    private readonly parts: {
      totals: GPUBuffer;
      /** [MOST_LOOKS × WORDS] the totals of each of a submission's sums. */
      rows: GPUBuffer;
      external: ExternalSlots;
      own: BufferPool;
      bind: (entry: Entry) => Promise<Kernel>;
    },
  ) {}

  /** `monopole`: of the mass inside an isolated mesh, from EscapedParticles. */
  static create(stage: MeshStage, monopole: GPUBuffer): DiagnosticSums {
    const { gpu, particles, mesh, settings } = stage;
    const { windows } = particles;
    const own = gpu.buffers.pool();
    const totals = own.storage("diagnostics", 4 * WORDS, "other");
    const rows = own.storage("rows of diagnostics", 4 * WORDS * MOST_LOOKS, "other");
    const external = externalSlots(own, settings, particles.heaviestSource, MOST_LOOKS);
    const field = externalFieldSources(settings);
    const sources = [...field, diagnosticsWgsl, TERMS_WGSL, meshFieldWgsl, ...forceReading(stage)];
    const constants = {
      ...meshConstants({ mesh, particles }, settings.mesh),
      ...{ RUN: runOn(gpu), ...readingConstants(stage), FIELD_GHOSTS, FORCE, FORCE_Z },
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
        dynamicOffsets: LOOKS_AT_NONE.includes(entry) ? 0 : external.dynamicOffsets - 1,
      });
      const bound = boundInSections(kernel, particles, parts[entry], (here, { slab, window }, there) => {
        const [force, rest] = forceBindings(stage, windows.indexOf(window), slab);
        // The half that isn't current has nothing to keep: the particles' own fields go where velocities and ids were.
        const [accelerations, potential] = [there.velocities, there.ids];
        return {
          ...{ externalForces: external.binding, ...here, monopole, totals, [FORCE]: force, [FORCE_Z]: rest },
          ...{ meshPotential: mesh.slabs[slab].field, ownAcceleration: accelerations, ownPotential: potential },
          ...{ accelerations, potential },
        };
      });
      return parts[entry].map(({ window }, s) => {
        const groups = entry === "settle" ? ([1, 1] as const) : workgroups(Math.ceil(window.count / runOn(gpu)), GROUP);
        return { bound: bound[s], groups };
      });
    };
    return new DiagnosticSums(gpu, particles, { totals, rows, external, own, bind });
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
    const { ranks } = this.particles;
    const batch = this.gpu.batch("sums over the particles");
    if (ranks.size === 1) {
      let found: Sums | undefined;
      await this.measureSums(batch, (sums) => (found = sums));
      await batch.submit();
      return found!;
    }
    const kernels = await this.prepare();
    const look = this.#encodeSurvey(batch, kernels);
    // The largest values and the centre of mass of all set the scales of the sums.
    const surveyed = finite(new DiagnosticWords(await batch.readBack(this.parts.totals)));
    await surveyed.surveyed(ranks);
    const rest = this.gpu.batch("sums over the particles").write(this.parts.totals, 0, surveyed.data);
    this.#encodeSums(rest.stage("diagnostics"), kernels, look);
    const words = finite(new DiagnosticWords(await rest.readBack(this.parts.totals)));
    await words.summed(ranks);
    return this.#sumsOf(words);
  }

  /** Whether a batch has no room for another step's sums and extremes. */
  full(batch: Batch): boolean {
    return (this.#looks.get(batch) ?? 0) + 2 > MOST_LOOKS;
  }

  /** The sums with a batch's submission, of a process without others; `take` gets them when it is done. */
  async measureSums(batch: Batch, take: (sums: Sums) => void): Promise<void> {
    const { totals, rows } = this.parts;
    const kernels = await this.prepare();
    const look = this.#encodeSurvey(batch, kernels);
    this.#encodeSums(batch, kernels, look);
    batch.copy(totals, 0, rows, 4 * WORDS * look, 4 * WORDS);
    batch.read(rows, 4 * WORDS * look, 4 * WORDS, (data) => take(this.#sumsOf(finite(new DiagnosticWords(data)))));
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
    const { totals, rows } = this.parts;
    const kernel = await this.#kernel("extremes");
    const look = this.#begin(batch);
    this.#dispatch(batch, kernel, look).copy(totals, 0, rows, 4 * WORDS * look, 4 * LARGEST_WORDS);
    batch.read(rows, 4 * WORDS * look, 4 * LARGEST_WORDS, (data) => {
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
    await this.#dispatch(batch, perParticle, 0).submit();
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

  /** Begins a look at particles with forces; gives its place in the batch. */
  #begin(batch: Batch): number {
    this.#expectForces();
    const look = this.#looks.get(batch) ?? 0;
    this.#looks.set(batch, look + 1);
    batch.stage("diagnostics").clear(this.parts.totals);
    return look;
  }

  #encodeSurvey(batch: Batch, [fields, survey]: readonly Kernel[]): number {
    const look = this.#begin(batch);
    this.particles.takeOtherHalf();
    this.#dispatch(this.#dispatch(batch, fields, look), survey, look);
    return look;
  }

  #encodeSums(batch: Batch, [, , ...summed]: readonly Kernel[], look: number): void {
    for (const kernel of summed) this.#dispatch(batch, kernel, look);
  }

  #dispatch(batch: Batch, kernel: Kernel, look: number): Batch {
    const { external } = this.parts;
    external.write(batch, external.stride * look, this.time);
    for (const { bound, groups } of kernel) {
      batch.dispatch(bound[this.particles.current], groups, external.stride * look);
    }
    return batch;
  }

  #sumsOf(words: DiagnosticWords): Sums {
    const { heaviest, boxSize } = this.particles;
    const vector = (component: (axis: number) => number): MutableVector => [component(0), component(1), component(2)];
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
