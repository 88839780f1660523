/**
 * Energies, momenta, virial, centre of mass, Lagrangian radii and the largest acceleration and speed, reduced on the
 * GPU by sums that don't depend on the order of the particles (wgsl/diagnostics/diagnostics.wgsl), and read back at once.
 *   K = Σ ½ m v²,  U = ½ Σ m φ_mesh + Σ m φ_external + Σ_escaped m φ_monopole
 * φ_mesh contains a particle's own potential, uncorrected, as in Aubert, Amini & David 2009. In a periodic box, centre
 * of mass and angular momentum are those of the positions as they lie in [0, L): a particle that crosses a face
 * moves them.
 */
import diagnosticsWgsl from "../../wgsl/diagnostics/diagnostics.wgsl";
import { GravmeshError } from "../errors.ts";
import { type Batch, workgroups } from "../gpu/batch.ts";
import type { BufferPool } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { externalFieldSources, externalForcesBuffer } from "../mesh/external-forces.ts";
import { type MeshStage, meshConstants } from "../mesh/field.ts";
import { type BothHalves, massConstants, type ParticleBuffers, type ParticleWindow } from "../particles/buffers.ts";
import { MASS_UNITS } from "../particles/fixed-point.ts";
import type { Sums } from "../particles/sums.ts";
import { lagrangianRadiiFromHistogram } from "./lagrangian.ts";
import { DiagnosticWords, LARGEST_WORDS, LAYOUT_CONSTANTS, WORDS } from "./layout.ts";

const GROUP = 64;
/** Consecutive particles per invocation: long runs spare a CPU adapter most of the reduction. */
const RUN = { software: 64, hardware: 16 };

type Kernels = Record<"extremes" | "fields" | "survey" | "settle" | "sums" | "perParticle", BothHalves>;

export class Diagnostics {
  readonly #groups: [number, number];

  private constructor(
    private readonly gpu: GpuContext,
    private readonly particles: ParticleBuffers,
    private readonly kernels: Kernels,
    private readonly totals: GPUBuffer,
    private readonly own: BufferPool,
  ) {
    this.#groups = workgroups(Math.ceil(particles.count / runOn(gpu)), GROUP);
  }

  /** `monopole`: of the mass inside an isolated mesh, from EscapedParticles. */
  static async create({ gpu, particles, mesh, settings }: MeshStage, monopole: GPUBuffer): Promise<Diagnostics> {
    const { boundary, externalPotentials } = settings;
    const own = gpu.buffers.pool();
    const totals = own.storage("diagnostics", 4 * WORDS, "other");
    const externalForces = externalForcesBuffer(own, settings, particles.heaviest);
    const fieldSources = externalFieldSources(externalPotentials);
    // Mesh values stay in registers where neighbours in memory often share cells.
    const crowded = boundary === "isolated" || particles.count > 2 * mesh.cells ** 3;
    const keep = crowded || settings.mesh.assignment === "tsc";
    const constants = {
      ...meshConstants(settings.mesh, boundary),
      ...{ KEEP: keep, RUN: runOn(gpu) },
      ...LAYOUT_CONSTANTS,
      ...massConstants(particles),
    };
    const sources = [...fieldSources, diagnosticsWgsl];
    const compiled = (entry: string) => gpu.kernel({ label: `diagnostics/${entry}`, sources, entry, constants });
    const bothHalves = async (entry: string): Promise<BothHalves> => {
      const kernel = await compiled(entry);
      // The half that isn't current has nothing to keep: the particles' own fields go where velocities and ids were.
      return particles.eachHalf(({ positions, velocities, images, ids, massUnits }, there) =>
        kernel.bind(
          ...[externalForces, positions, velocities, images, ids, massUnits],
          ...[mesh.force, monopole, totals, mesh.field, there.velocities, there.ids],
        ),
      );
    };
    const perParticle = async (): Promise<BothHalves> => {
      const kernel = await compiled("perParticle");
      return particles.eachHalf(({ positions, images, massUnits }, { velocities, ids }) =>
        kernel.bind(
          ...[externalForces, positions, velocities, images, ids, massUnits],
          ...[mesh.force, monopole, totals, mesh.field],
        ),
      );
    };
    const [extremes, fields, survey, settle, sums, particle] = await Promise.all([
      ...["extremes", "fields", "survey", "settle", "sums"].map(bothHalves),
      perParticle(),
    ]);
    const kernels = { extremes, fields, survey, settle, sums, perParticle: particle };
    return new Diagnostics(gpu, particles, kernels, totals, own);
  }

  /** Sums over all particles. Throws "numerical" when a quantity is no finite number. */
  async sums(): Promise<Sums> {
    const { current } = this.particles;
    const batch = this.gpu.batch("sums over the particles");
    this.#encodeExtremes(batch, "fields")
      .dispatch(this.kernels.survey[current], this.#groups)
      .dispatch(this.kernels.settle[current], [1])
      .dispatch(this.kernels.sums[current], this.#groups);
    const words = await this.#read(batch);
    return this.#sumsOf(words);
  }

  /** Largest |a| [velocity/time] and |v| [velocity]. Throws "numerical" when one is no finite number. */
  async extremes(): Promise<{ acceleration: number; speed: number }> {
    let found = { acceleration: 0, speed: 0 };
    const batch = this.gpu.batch("largest acceleration and speed");
    await this.measureExtremes(batch, (extremes) => {
      found = extremes;
    }).submit();
    return found;
  }

  /** The same with a batch's submission; `take` gets them when it is done. */
  measureExtremes(batch: Batch, take: (extremes: { acceleration: number; speed: number }) => void): Batch {
    return this.#encodeExtremes(batch).read(this.totals, 0, 4 * LARGEST_WORDS, (data) => {
      const words = finite(new DiagnosticWords(data));
      take({ acceleration: Math.sqrt(words.largest("acceleration2")), speed: Math.sqrt(words.largest("speed2")) });
    });
  }

  /**
   * Accelerations [3N, velocity/time] and potential [N, velocity²] of each slot, external potentials included; in buffers
   * that the next sums or the next ordering take.
   */
  async perSlot(): Promise<Record<"accelerations" | "potential", (window: ParticleWindow) => GPUBuffer>> {
    this.#expectForces();
    const { current } = this.particles;
    const other = current === 0 ? 1 : 0;
    await this.gpu
      .batch("acceleration and potential of each particle")
      .stage("diagnostics")
      .dispatch(this.kernels.perParticle[current], this.#groups)
      .submit();
    return { accelerations: ({ velocities }) => velocities[other], potential: ({ ids }) => ids[other] };
  }

  /** The same in id order. */
  async perParticle(): Promise<{ accelerations: Float32Array; potential: Float32Array }> {
    const bySlot = await this.perSlot();
    const slots = await this.particles.readIds();
    const accelerations = await this.particles.readInIdOrder(bySlot.accelerations, 3, slots);
    const potential = await this.particles.readInIdOrder(bySlot.potential, 1, slots);
    return { accelerations: new Float32Array(accelerations.buffer), potential: new Float32Array(potential.buffer) };
  }

  destroy(): void {
    this.own.destroyAll();
  }

  #expectForces(): void {
    this.particles.phase.expect("diagnostics", "accelerated");
    this.particles.phase.expectVelocities("diagnostics");
  }

  #encodeExtremes(batch: Batch, entry: "extremes" | "fields" = "extremes"): Batch {
    this.#expectForces();
    const kernel = this.kernels[entry][this.particles.current];
    return batch.stage("diagnostics").clear(this.totals).dispatch(kernel, this.#groups);
  }

  async #read(batch: Batch): Promise<DiagnosticWords> {
    let words = new DiagnosticWords(new ArrayBuffer(0));
    await batch
      .read(this.totals, 0, this.totals.size, (data) => {
        words = finite(new DiagnosticWords(data));
      })
      .submit();
    return words;
  }

  #sumsOf(words: DiagnosticWords): Sums {
    const { heaviest, boxSize } = this.particles;
    type Vector = [number, number, number];
    const vector = (component: (axis: number) => number): Vector => [component(0), component(1), component(2)];
    const sum = (name: Parameters<typeof words.sum>[0], axis = 0) => heaviest * words.sum(name, axis);
    const units = words.survey("mass");
    // Positions were cut to 24 bits: half a unit back on average.
    const centreOfMass = vector((axis) =>
      units === 0n
        ? 0
        : boxSize *
          (quotient(words.survey("within", axis), units << 24n) +
            2 ** -25 +
            quotient(words.survey("boxes", axis), units)),
    );
    const force = vector((axis) => sum("force", axis));
    const aboutBoxCentre = sum("virial");
    const virial = force.reduce((w, f, axis) => w - f * (centreOfMass[axis] - boxSize / 2), aboutBoxCentre);
    return {
      kinetic: sum("kinetic"),
      potential: sum("potential"),
      mass: (heaviest * Number(units)) / MASS_UNITS,
      momentum: vector((axis) => sum("momentum", axis)),
      angularMomentum: vector((axis) => sum("angularMomentum", axis)),
      centreOfMass,
      virial,
      outside: Number(words.survey("outside")),
      lagrangianRadii: lagrangianRadiiFromHistogram(words.histogram(), boxSize),
    };
  }
}

const runOn = ({ adapter }: GpuContext): number => (adapter.software ? RUN.software : RUN.hardware);

/** The words themselves. Throws "numerical" where one of the largest values is none. */
function finite(words: DiagnosticWords): DiagnosticWords {
  if (words.finite) return words;
  throw new GravmeshError(
    "numerical",
    "stage diagnostics: expected finite velocities, accelerations and potentials, found NaN or infinity; look for it in the initial conditions, or try a shorter time.step",
  );
}

/** a/b to float64's precision. */
export function quotient(a: bigint, b: bigint): number {
  const whole = a / b;
  return Number(whole) + Number(((a - whole * b) << 60n) / b) * 2 ** -60;
}
