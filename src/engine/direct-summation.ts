/**
 * The door of `gravmesh/direct`: exact forces of any bodies on any others (Bédorf+ 2015, Sapporo2, §2), a = G Σ m
 * r/(r²+ε²)^{3/2}, φ = −G Σ m/√(r²+ε²), with jerk and snap. It stands outside direct/ because it knows both engines.
 */
import { mpiRanks as launchedRanks } from "#platform";
import { GravmeshError } from "../foundation/base/errors.ts";
import { TaskQueue } from "../foundation/base/turns.ts";
import type { AdapterSummary } from "../foundation/gpu/adapter.ts";
import type { Ranks } from "../foundation/ranks/ranks.ts";
import type { ForceArrays, ForceOrder } from "./direct/bodies.ts";
import { GpuSummation } from "./direct/gpu-summation.ts";
import type { Precision } from "./direct/settings.ts";
import { SOFTENING_KERNELS, type SofteningKernel } from "./direct/softening.ts";
import type { EvaluationControl, Neighbours, SourceBuffers, SourceState, SummationEngine } from "./direct/summation.ts";
import {
  checkedMeshMasses,
  checkedRadii,
  checkedSources,
  checkedTargets,
  checkedUpdate,
  type Integers,
  type MeshSourceInput,
  type Numbers,
  type SourceInput,
  type SourceUpdate,
  type TargetInput,
} from "./direct/summation-input.ts";
import { type ChosenDevice, chooseDevice, type DeviceOptions } from "./platform/chosen-device.ts";
import { RankedSummation } from "./ranked/direct-summation.ts";
import { ReferenceSummation } from "./reference/direct/summation.ts";

export { type ErrorKind, GravmeshError } from "../foundation/base/errors.ts";
export type { AdapterSummary } from "../foundation/gpu/adapter.ts";
export type { GpuContext } from "../foundation/gpu/context.ts";
export { acquireContext, wrapDevice } from "../foundation/gpu/device.ts";
export type { Ranks } from "../foundation/ranks/ranks.ts";
export type { ForceArrays, ForceOrder } from "./direct/bodies.ts";
export type { Precision } from "./direct/settings.ts";
export type { SofteningKernel } from "./direct/softening.ts";
export {
  type EvaluationControl,
  type NeighbourLists,
  type Neighbours,
  NO_NEIGHBOUR,
  type SourceBuffers,
  type SourceState,
} from "./direct/summation.ts";
export type {
  Integers,
  MeshSourceInput,
  Numbers,
  SourceInput,
  SourceUpdate,
  TargetInput,
} from "./direct/summation-input.ts";

/** The processes that mpirun, mpiexec or srun started together with this one; this one alone without. Throws "usage". */
export function mpiRanks(): Promise<Ranks> {
  return launchedRanks();
}

export interface DirectSummationOptions extends Omit<DeviceOptions, "acquire"> {
  /** What is computed beside the potential: accelerations (the default), with jerks, with jerks and snaps. */
  order?: ForceOrder;
  /** Precision on the GPU; "double-single" by default. The CPU always works in float64. */
  precision?: Precision;
  /** ε [length]; 0 by default. */
  softening?: number;
  /** Plummer's by default; or a cubic spline of radius 2.8 ε, beyond which forces are Newton's. */
  softeningKernel?: SofteningKernel;
  /** Gravitational constant; 1 by default. */
  G?: number;
  /** Sources to make room for at once; more can be set later. */
  capacity?: number;
  /** Bytes that a buffer of sources takes at most, where the device allows more. */
  largestBinding?: number;
  /** Processes (`mpiRanks()`) that make the same calls; each sums a part of the targets and has all results. */
  ranks?: Ranks | undefined;
  /** Pair interactions from which on ranks share a sum; by what computes unless given. Changes no result. */
  worthSharing?: number | undefined;
}

export interface NeighbourOptions extends EvaluationControl {
  /** Sources closer than this to a target are listed, one for all or one for each [length]; no lists when left out. */
  radius?: Numbers | number;
  /** Ids that a target's list holds; 64 by default. */
  capacity?: number;
}

const DEFAULT_CAPACITY = 64;

/** A direct sum. Calls are carried out one after the other, in the order in which they are made. */
export class DirectSummation {
  readonly order: ForceOrder;
  readonly precision: Precision | "double";
  readonly softening: number;
  readonly G: number;
  /** Why WebGPU isn't in use though it was looked for; else undefined. */
  readonly notice: string | undefined;
  readonly adapter: AdapterSummary | undefined;
  #count = 0;
  #source: "none" | "still" | "moving" | "mesh" = "none";
  readonly #turns = new TaskQueue("direct sum");

  private constructor(
    private readonly engine: SummationEngine,
    { order, precision, softening, G }: CompleteOptions,
    private readonly choice: ChosenDevice,
  ) {
    this.order = order;
    this.precision = engine.kind === "cpu" ? "double" : precision;
    this.softening = softening;
    this.G = G;
    this.notice = choice.notice;
    this.adapter = choice.gpu?.adapter;
  }

  /** Throws "usage", and "device": no adapter, unlike ones on ranks, or no double-single arithmetic. */
  static async create(given: DirectSummationOptions = {}): Promise<DirectSummation> {
    const options = complete(given);
    const choice = await chooseDevice(options, "direct sum");
    try {
      const own = choice.gpu ? await GpuSummation.create(choice.gpu, options) : new ReferenceSummation(options);
      const { ranks, order, worthSharing: worth } = options;
      const engine =
        ranks && ranks.size > 1 ? await RankedSummation.create(own, { ranks, order, worth }, choice.gpu) : own;
      return new DirectSummation(engine, options, choice);
    } catch (error) {
      if (choice.owned) choice.gpu?.destroy();
      throw error;
    }
  }

  get backend(): "webgpu" | "cpu" {
    return this.engine.kind;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Replaces all sources, each at its own time until `predict`. Throws "usage", "input" for wrong numbers, "memory".
   */
  setSources(input: SourceInput): Promise<void> {
    return this.#turns.take(async () => {
      const sources = checkedSources(this.order, this.G, input);
      const source = sources.velocities ? "moving" : "still";
      await this.#replace(source, sources.masses.length, () => this.engine.setSources(sources));
    });
  }

  /**
   * Replaces all sources by the mesh pipeline's particles, without a read-back: row i is the particle of id i, in box
   * coordinates. They can't be updated or predicted. Throws as `setSources`, and "usage" on the CPU.
   */
  setSourcesFromMesh(input: MeshSourceInput): Promise<void> {
    return this.#turns.take(async () => {
      const engine = this.#gpuEngine("setSourcesFromMesh");
      const masses = checkedMeshMasses(this.order, this.G, input);
      await this.#replace("mesh", input.count, () => engine.setSourcesFromMesh(input, masses));
    });
  }

  /** Overwrites what `update` gives of the sources in `rows`: entry k belongs to row rows[k]. Throws as `setSources`. */
  updateSources(rows: Integers, update: SourceUpdate): Promise<void> {
    return this.#turns.take(async () => {
      if (this.#source === "mesh") {
        throw new GravmeshError("usage", "updateSources: these sources are the mesh's; call setSourcesFromMesh again");
      }
      const moving = this.#source === "moving";
      const checked = checkedUpdate(this.G, rows, update, { count: this.#count, moving });
      if (checked.rows.length > 0) await this.engine.updateSources(checked.rows, checked.fields);
    });
  }

  /**
   * Sources stand at `time` from now on, x + v h + a h²/2 + j h³/6 with h from the time of each; undefined: at their
   * own times. Throws "usage" for sources without velocities.
   */
  predict(time: number | undefined): Promise<void> {
    return this.#turns.take(async () => {
      const wrong = (expected: string) => new GravmeshError("usage", `predict: expected ${expected}`);
      if (time !== undefined && !Number.isFinite(time)) throw wrong(`a finite time, found ${time}`);
      if (time !== undefined && this.#source !== "moving") {
        throw wrong("sources with velocities, found none; pass them to setSources");
      }
      await this.engine.predict(time);
    });
  }

  /** Forces of all sources on `targets`, by default on themselves. Throws "usage", "input", "aborted", "numerical". */
  forces(targets?: TargetInput, control: EvaluationControl = {}): Promise<ForceArrays> {
    return this.#turns.take(async () => {
      const checked = checkedTargets(this.order, targets, this.#count);
      const forces = await this.engine.forces(checked, control);
      requireFinite(forces);
      return forces;
    });
  }

  /** Nearest source of every target, and lists of those closer than a radius. Throws as `forces`. */
  neighbours(targets?: TargetInput, options: NeighbourOptions = {}): Promise<Neighbours> {
    return this.#turns.take(async () => {
      const { radius, capacity = DEFAULT_CAPACITY, ...control } = options;
      const checked = checkedTargets("place", targets, this.#count);
      if (!Number.isInteger(capacity) || capacity < 1) {
        throw new GravmeshError("usage", `neighbours: expected a capacity of 1 or more, found ${capacity}`);
      }
      const count = !checked ? this.#count : "rows" in checked ? checked.rows.length : checked.count;
      const radii = radius === undefined ? undefined : checkedRadii(radius, count);
      return this.engine.neighbours(checked, { capacity, radii }, control);
    });
  }

  /** Sources at the time that they stand at; velocities and accelerations where the order uses them. */
  readSources(): Promise<SourceState> {
    return this.#turns.take(async () => {
      const state = await this.engine.readSources();
      return { ...state, masses: this.G === 1 ? state.masses : state.masses.map((mass) => mass / this.G) };
    });
  }

  /** The sources' records on the GPU, valid until sources are set. Throws "usage" on the CPU. */
  sourceBuffers(): Promise<SourceBuffers> {
    return this.#turns.take(() => this.#gpuEngine("sourceBuffers").sourceBuffers());
  }

  /** Gives everything back once earlier calls are done; a device of the caller's stays alive. */
  destroy(): Promise<void> {
    return this.#turns.close(() => {
      this.engine.destroy();
      if (this.choice.owned) this.choice.gpu?.destroy();
    });
  }

  /** There are no sources while others are being set, nor when that fails. */
  async #replace(source: "still" | "moving" | "mesh", count: number, set: () => Promise<void>): Promise<void> {
    this.#source = "none";
    this.#count = 0;
    await set();
    this.#count = count;
    this.#source = source;
  }

  #gpuEngine(where: string): GpuSummation {
    const own = this.engine instanceof RankedSummation ? this.engine.own : this.engine;
    if (own instanceof GpuSummation) return own;
    throw new GravmeshError("usage", `${where}: expected a sum on a GPU, this one is on the CPU`);
  }
}

type CompleteOptions = ReturnType<typeof complete>;

function complete(options: DirectSummationOptions) {
  const { order = "acceleration", precision = "double-single", softening = 0, G = 1 } = options;
  const { capacity = 0, softeningKernel = "plummer" } = options;
  const wrong = (expected: string, found: unknown) =>
    new GravmeshError("usage", `DirectSummation.create: expected ${expected}, found ${String(found)}`);
  if (!["acceleration", "jerk", "snap"].includes(order)) throw wrong('order "acceleration", "jerk" or "snap"', order);
  if (!["single", "double-single"].includes(precision)) throw wrong('precision "single" or "double-single"', precision);
  if (!(softening >= 0 && Number.isFinite(softening))) throw wrong("a softening of 0 or more", softening);
  if (!SOFTENING_KERNELS.includes(softeningKernel))
    throw wrong('softeningKernel "plummer" or "spline"', softeningKernel);
  if (!Number.isFinite(G) || G === 0) throw wrong("a G other than 0", G);
  if (!Number.isInteger(capacity) || capacity < 0) throw wrong("a capacity of 0 or more", capacity);
  return { ...options, order, precision, softening, G, capacity };
}

function requireFinite(forces: ForceArrays): void {
  for (const [name, values] of Object.entries(forces) as [string, Float64Array][]) {
    const wrong = values.findIndex((value) => !Number.isFinite(value));
    if (wrong < 0) continue;
    const target = Math.floor(wrong / (name === "potentials" ? 1 : 3));
    throw new GravmeshError(
      "numerical",
      `the force on target ${target} is not finite (${name}: ${values[wrong]}): two bodies are closer than float32 can tell apart from touching, or a mass or distance exceeds its range; use a softening, or other units`,
    );
  }
}
