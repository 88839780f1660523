/**
 * The integer grid of a picture: one atomicAdd a particle, into as many grids as there are layers. More layers than a
 * binding holds are counted in groups, more particles than a window holds window by window.
 */
import countWgsl from "../../../wgsl/studio/view/count.wgsl";
import countMassWgsl from "../../../wgsl/studio/view/count-mass.wgsl";
import countMotionWgsl from "../../../wgsl/studio/view/count-motion.wgsl";
import fastestWgsl from "../../../wgsl/studio/view/fastest.wgsl";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { packUniform, type UniformWord, USAGE, u32 } from "../../foundation/gpu/buffers.ts";
import type { WgslSource } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import { largestBinding, ranges } from "../../foundation/gpu/windows.ts";
import { LOW_AXIS_BITS, type PictureSize, type Projection, SPEED_BIAS, SPEED_BITS } from "./camera.ts";
import type { GridCounts } from "./host-counts.ts";
import { type LayerPlan, layerWeights, PICTURE_RANGES } from "./layers.ts";
import { pixelBlocks } from "./picture-levels.ts";
import type { Scene, SceneWindow } from "./scene.ts";

const GROUP = 64;
/** Particles of an invocation. */
const RUN = 4;
/** Words of the uniform before the ranges. */
const HEAD_WORDS = 40;
const UNIFORM_BYTES = 4 * (HEAD_WORDS + 4 * PICTURE_RANGES);

export interface GridShape extends PictureSize {
  layers: number;
  /** Sums of velocities beside the counts. */
  moments: number;
}

/** Layers that are bound together. */
export interface LayerGroup {
  first: number;
  count: number;
  /** [layers, blocks, 4] */
  counts: GPUBuffer;
  /** Σ w (v + 2^16) and Σ w v² [layers, blocks, 4, 2]; of motion only. */
  firsts: GPUBuffer | undefined;
  seconds: GPUBuffer | undefined;
}

/** Weights by id, in ranges that a binding holds. */
interface WeightWindow {
  first: number;
  count: number;
  buffer: GPUBuffer;
}

export class GridCounter {
  #shape: GridShape | undefined;
  groups: readonly LayerGroup[] = [];
  #weights: { of: Scene["weights"]; unit: number; windows: WeightWindow[] } | undefined;
  readonly #uniforms: GPUBuffer[] = [];
  readonly #kernels = new LazyKernels<Kernel>();
  readonly #nothing: GPUBuffer;
  readonly #fastest: GPUBuffer;
  /** Units of a velocity, and the reverse. */
  readonly speed: GPUBuffer;

  constructor(private readonly gpu: GpuContext) {
    const { buffers } = gpu;
    this.#nothing = buffers.storage("no moments", 8, "other");
    this.#fastest = buffers.storage("fastest velocity", 4, "other");
    this.speed = buffers.storage("units of velocity", 16, "other", USAGE.UNIFORM);
  }

  /** Makes room. Throws "memory" for a grid of which one layer is more than a binding. */
  async reserve(shape: GridShape): Promise<void> {
    const { width, height, layers, moments } = shape;
    const old = this.#shape;
    if (old && old.width === width && old.height === height && old.layers === layers && old.moments === moments) return;
    this.#release();
    const { buffers, device } = this.gpu;
    const cells = 4 * pixelBlocks(shape);
    const words = moments > 0 ? 2 : 1;
    const most = Math.max(1, Math.floor(largestBinding(device.limits) / (4 * words * cells)));
    this.groups = ranges(layers, most).map(({ first, count }) => ({
      ...{ first, count },
      counts: buffers.storage("counts of a picture", 4 * cells * count, "other"),
      firsts: moments > 0 ? buffers.storage("velocities of a picture", 8 * cells * count, "other") : undefined,
      seconds: moments > 1 ? buffers.storage("squared velocities of a picture", 8 * cells * count, "other") : undefined,
    }));
    this.#shape = shape;
    await buffers.settle();
  }

  async prepare({ scene, plan, projection }: CountRequest, moments: number): Promise<GridKernels> {
    const { every, isPlain, weightUnit } = plan;
    if (weightUnit > 0) await this.#uploadWeights(scene, weightUnit);
    const constants = {
      ...{
        GROUP,
        RUN,
        MOST_RANGES: PICTURE_RANGES,
        LOW_AXIS_BITS,
        ...(moments > 0 && { SPEED_BIAS, MOMENTS: moments }),
      },
      ...{ ISOLATED: !scene.periodic, SHORT: projection.isShort },
      ...{ PLAIN: isPlain, SPARSE: every > 1, WEIGHTED: weightUnit > 0 },
    };
    const fastest = { sources: [fastestWgsl], constants: { GROUP, RUN: 3 * RUN, SPEED_BITS } };
    const [count, largest, scaled] = await Promise.all([
      this.#kernel("count", { sources: [countWgsl, moments > 0 ? countMotionWgsl : countMassWgsl], constants }),
      this.#kernel("largest", fastest),
      this.#kernel("scaled", fastest),
    ]);
    return { count, largest, scaled };
  }

  encode(batch: Batch, kernels: GridKernels, { scene, plan, projection }: CountRequest): void {
    const { moments } = this.#shape!;
    const windows = scene.windows();
    batch.stage("count");
    if (moments > 0) this.#encodeSpeed(batch, kernels, windows);
    for (const { counts, firsts, seconds } of this.groups) {
      for (const buffer of [counts, firsts, seconds]) if (buffer) batch.clear(buffer);
    }
    const weights = plan.weightUnit > 0 ? this.#weights!.windows : [undefined];
    let uniform = 0;
    for (const window of windows) {
      if (window.count === 0) continue;
      for (const group of this.groups) {
        for (const ids of weights) {
          const words = pictureWords({ projection, plan }, window.count, { group, ids });
          const buffer = this.#uniform(uniform++);
          batch.write(buffer, 0, words);
          batch.dispatch(
            kernels.count.bind(
              ...[buffer, window.positions, window.velocities, window.images ?? window.ids, window.ids],
              ...[ids?.buffer ?? window.ids, group.counts],
              ...[group.firsts ?? this.#nothing, group.seconds ?? this.#nothing, this.speed],
            ),
            workgroups(Math.ceil(window.count / RUN), GROUP),
          );
        }
      }
    }
  }

  async read(): Promise<GridCounts> {
    const { gpu } = this;
    const shape = this.#shape!;
    const cells = cellsOf(shape);
    const { layers, moments } = shape;
    const counts = new Uint32Array(cells * layers);
    const sums = (wanted: boolean) => (wanted ? new BigUint64Array(cells * layers) : undefined);
    const [first, second] = [sums(moments > 0), sums(moments > 1)];
    for (const group of this.groups) {
      const from = {
        counts: new Uint32Array(await gpu.read(group.counts)),
        first: first && new BigUint64Array(await gpu.read(group.firsts!)),
        second: second && new BigUint64Array(await gpu.read(group.seconds!)),
      };
      for (let k = 0; k < group.count; k++) {
        const at = cells * (group.first + k);
        const base = 4 * k * pixelBlocks(shape);
        for (let i = 0; i < cells; i++) {
          const place = base + placeInBlocks(i, shape.width);
          counts[at + i] = from.counts[place];
          if (first) first[at + i] = from.first![place];
          if (second) second[at + i] = from.second![place];
        }
      }
    }
    const speedUnit = moments > 0 ? new Float32Array(await gpu.read(this.speed))[1] : 1;
    return { counts, ...(first && { first }), ...(second && { second }), speedUnit };
  }

  destroy(): void {
    this.#release();
    this.gpu.buffers.release(...this.#uniforms, this.#nothing, this.#fastest, this.speed);
    this.#releaseWeights();
  }

  #encodeSpeed(batch: Batch, { largest, scaled }: GridKernels, windows: readonly SceneWindow[]): void {
    batch.clear(this.#fastest);
    for (const { velocities } of windows) {
      const kernel = largest.bind(velocities, this.#fastest, this.speed);
      batch.dispatch(kernel, workgroups(Math.ceil(velocities.size / (12 * RUN)), GROUP));
    }
    batch.dispatch(scaled.bind(this.#nothing, this.#fastest, this.speed), [1]);
  }

  async #uploadWeights(scene: Scene, unit: number): Promise<void> {
    if (this.#weights?.of === scene.weights && this.#weights.unit === unit) return;
    this.#releaseWeights();
    const { buffers, device } = this.gpu;
    const most = Math.floor(largestBinding(device.limits) / 4);
    const windows = ranges(scene.weights.count, most).map((range) => ({
      ...range,
      buffer: buffers.upload("weights of particles", layerWeights(scene.weights, unit, range), "other"),
    }));
    this.#weights = { of: scene.weights, unit, windows };
    await buffers.settle();
  }

  #uniform(index: number): GPUBuffer {
    this.#uniforms[index] ??= this.gpu.buffers.uniform("what a picture counts", UNIFORM_BYTES);
    return this.#uniforms[index];
  }

  #kernel(
    entry: string,
    spec: { sources: WgslSource[]; constants: Record<string, number | boolean> },
  ): Promise<Kernel> {
    const key = `${entry} ${Object.values(spec.constants).join(" ")}`;
    return this.#kernels.get(key, () => this.gpu.kernel({ label: `view/${entry}`, entry, ...spec }));
  }

  #release(): void {
    for (const { counts, firsts, seconds } of this.groups) this.gpu.buffers.release(counts, firsts, seconds);
    this.groups = [];
    this.#shape = undefined;
  }

  #releaseWeights(): void {
    for (const { buffer } of this.#weights?.windows ?? []) this.gpu.buffers.release(buffer);
    this.#weights = undefined;
  }
}

export type GridKernels = Record<"count" | "largest" | "scaled", Kernel>;

interface CountRequest {
  scene: Scene;
  plan: LayerPlan;
  projection: Projection;
}

/** As wgsl/studio/view/blocks.wgsl has it, of pixel i, rows from the top. */
function placeInBlocks(i: number, width: number): number {
  const [x, y] = [i % width, Math.floor(i / width)];
  return 4 * ((y >> 1) * ((width + 1) >> 1) + (x >> 1)) + 2 * (y & 1) + (x & 1);
}

export function cellsOf({ width, height }: PictureSize): number {
  return width * height;
}

/** The uniform of wgsl/studio/view/count.wgsl. */
function pictureWords(
  { projection, plan }: Pick<CountRequest, "projection" | "plan">,
  count: number,
  { group, ids }: { group: LayerGroup; ids: WeightWindow | undefined },
): ArrayBuffer {
  const { right, down, centre, boxes, box, away, low, shift, width, height } = projection;
  const one = 2 ** LOW_AXIS_BITS;
  const axis = (a: readonly number[]): UniformWord[] => {
    const high = a.map((part) => Math.floor(part / one));
    return u32(...high, 0, ...a.map((part, k) => part - one * high[k]), 0);
  };
  return packUniform([
    ...axis(right),
    ...axis(down),
    ...u32(...centre, width, ...boxes, height, ...away, low, shift, box, 0, 0),
    ...u32(count, plan.every, plan.ranges.length, group.first, group.count),
    ...u32(ids?.first ?? 0, ids?.count ?? 0, pixelBlocks(projection)),
    ...plan.ranges.flatMap(({ first, end, layer, weighted }) => u32(first, end, layer, Number(weighted))),
  ]);
}

/** Kernels of pictures by name, compiled when they are first asked for, and again after a failure. */
export class LazyKernels<T> {
  readonly #kept = new Map<string, Promise<T>>();

  get(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(name) ?? make();
    this.#kept.set(name, known);
    known.catch(() => this.#kept.delete(name));
    return known;
  }
}
