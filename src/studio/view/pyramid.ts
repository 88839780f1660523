/** The adaptive blur on the GPU: from the integer grids of the layers to the maps that are shown. */
import layerMassWgsl from "../../../wgsl/studio/view/layer-mass.wgsl";
import layerMotionWgsl from "../../../wgsl/studio/view/layer-motion.wgsl";
import mapMassWgsl from "../../../wgsl/studio/view/map-mass.wgsl";
import pyramidWgsl from "../../../wgsl/studio/view/pyramid.wgsl";
import type { Batch } from "../../foundation/gpu/batch.ts";
import { f32, packUniform, u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import type { PictureSize } from "./camera.ts";
import { cellsOf, type GridCounter, type LayerGroup, LazyKernels } from "./grid.ts";
import type { PictureLayer } from "./layers.ts";
import { pixelBlocks, pyramidSizes, squares } from "./picture-levels.ts";

/** Invocations of a side of a workgroup. */
const SIDE = 8;
const LAYER_WORDS = 8;

/** What a picture's maps are: by pixel mass, or of motion particles and mass, and beside them the moments of velocity. */
export interface Maps {
  /** [blocks, 4] of each map [mass/length²]; of motion pairs of particles and mass. */
  maps: readonly GPUBuffer[];
  /** [blocks, 4, 2] m v and m v²; of motion only. */
  motion: GPUBuffer | undefined;
}

export interface BlurShape extends PictureSize {
  moments: number;
  maps: number;
  levels: number;
}

interface BlurRequest {
  layers: readonly PictureLayer[];
  smoothing: number;
  /** The area of a pixel [length²]. */
  area: number;
}

/** Blocks of a row for an invocation, an even number: on a processor a long run spares most of what is read. */
const RUN = { software: 16, hardware: 2 };
type Entry = "numbers" | "up" | "down" | "plain";
/** From pixels to the first level, a map's first layer put there or others added; and from level to level. */
export type BlurKernels = Record<"pixels" | "adding" | "levels", Readonly<Partial<Record<Entry, Kernel>>>>;

export class Pyramid {
  #shape: BlurShape | undefined;
  maps: Maps = { maps: [], motion: undefined };
  #levels: GPUBuffer | undefined;
  #steps: { uniform: GPUBuffer; cells: readonly [number, number]; runs: readonly [number, number] }[] = [];
  readonly #layers: GPUBuffer[] = [];
  readonly #kernels = new LazyKernels<BlurKernels>();

  constructor(private readonly gpu: GpuContext) {}

  get #run(): number {
    return this.gpu.adapter.software ? RUN.software : RUN.hardware;
  }

  async reserve(shape: BlurShape): Promise<void> {
    const old = this.#shape;
    if (old && (Object.keys(shape) as (keyof BlurShape)[]).every((key) => old[key] === shape[key])) return;
    this.#release();
    const { buffers } = this.gpu;
    const { moments, levels } = shape;
    const words = moments > 0 ? 2 : 1;
    const map = (label: string) => buffers.storage(`${label} of a picture`, 16 * words * pixelBlocks(shape), "other");
    this.maps = {
      maps: Array.from({ length: shape.maps }, () => map("map")),
      motion: moments > 0 ? map("motion") : undefined,
    };
    const sizes = pyramidSizes(shape, Math.max(1, levels));
    const planes = 1 + moments;
    let room = 0;
    const places = sizes.map((size, level) => {
      const numbers = room;
      const contents = numbers + cellsOf(size);
      if (level > 0) room = contents + planes * cellsOf(size);
      return { numbers, contents };
    });
    this.#levels = buffers.storage("levels of blur", 4 * room, "other");
    this.#steps = sizes.slice(0, -1).map((size, l) => {
      const [above, at] = [sizes[l + 1], places[l + 1]];
      const words = u32(
        ...[size.width, size.height, above.width, above.height, 2 ** l, places[l].numbers, places[l].contents],
        ...[at.numbers, at.contents, 0, shape.width, shape.height],
      );
      return {
        uniform: buffers.uniform("level of blur", words),
        cells: squares(above, SIDE),
        runs: squares({ width: Math.ceil(above.width / this.#run), height: Math.ceil(above.height / 2) }, SIDE),
      };
    });
    this.#shape = shape;
    await buffers.settle();
  }

  prepare(moments: number): Promise<BlurKernels> {
    const constants = { SIDE, RUN: `${this.#run}u`, PLANES: `${1 + moments}u` };
    const sources = moments > 0 ? [pyramidWgsl, layerMotionWgsl] : [pyramidWgsl, mapMassWgsl, layerMassWgsl];
    const all = async (FROM_PIXELS: boolean, ADDING: boolean, entries: readonly Entry[]) => {
      const own = { ...constants, FROM_PIXELS, ADDING };
      const kernel = (entry: Entry) => this.gpu.kernel({ label: `view/${entry}`, sources, entry, constants: own });
      return Object.fromEntries(await Promise.all(entries.map(async (entry) => [entry, await kernel(entry)])));
    };
    return this.#kernels.get(String(moments), async () => {
      const [pixels, adding, levels] = await Promise.all([
        all(true, false, ["numbers", "up", "down", "plain"]),
        all(true, true, ["down", "plain"]),
        all(false, false, ["numbers", "up", "down"]),
      ]);
      return { pixels, adding, levels };
    });
  }

  /** Adds up the layers in their maps. */
  encode(batch: Batch, kernels: BlurKernels, counter: GridCounter, { layers, smoothing, area }: BlurRequest): void {
    const { levels } = this.#shape!;
    const begun = new Set<number>();
    batch.stage("blur");
    if (layers.length === 0) {
      for (const map of [...this.maps.maps, this.maps.motion]) if (map) batch.clear(map);
      return;
    }
    for (const group of counter.groups) {
      for (let k = 0; k < group.count; k++) {
        const layer = layers[group.first + k];
        const uniform = this.#layer(group.first + k);
        const last = begun.has(layer.map) ? kernels.adding : kernels.pixels;
        begun.add(layer.map);
        const head = u32(k * pixelBlocks(this.#shape!), 0);
        const words = [...head, ...f32(layer.mass / area, layer.particles, 1 / (48 * smoothing))];
        batch.write(uniform, 0, packUniform(words));
        const buffers = this.#buffers(counter, group, layer);
        const dispatch = (kernel: Kernel, step: number, groups = this.#steps[step].runs) =>
          batch.dispatch(kernel.bind(this.#steps[step].uniform, uniform, ...buffers), groups);
        const at = (step: number) => (step === 0 ? kernels.pixels : kernels.levels);
        if (levels === 0) dispatch(last.plain!, 0, this.#steps[0].cells);
        for (let l = 0; l < levels; l++) dispatch(at(l).numbers!, l, this.#steps[l].cells);
        for (let l = 0; l < levels; l++) dispatch(at(l).up!, l);
        for (let l = levels - 1; l >= 0; l--) dispatch((l === 0 ? last : kernels.levels).down!, l);
      }
    }
  }

  destroy(): void {
    this.#release();
    this.gpu.buffers.release(...this.#layers);
  }

  #buffers(counter: GridCounter, { counts, firsts, seconds }: LayerGroup, { map }: PictureLayer): GPUBuffer[] {
    const { maps, motion } = this.maps;
    const moments = [motion ?? maps[map], firsts ?? counts, seconds ?? firsts ?? counts, counter.speed];
    return [this.#levels!, counts, maps[map], ...moments];
  }

  #layer(index: number): GPUBuffer {
    this.#layers[index] ??= this.gpu.buffers.uniform("layer of a picture", 4 * LAYER_WORDS);
    return this.#layers[index];
  }

  #release(): void {
    const { maps, motion } = this.maps;
    this.gpu.buffers.release(...maps, motion, this.#levels, ...this.#steps.map(({ uniform }) => uniform));
    this.maps = { maps: [], motion: undefined };
    this.#steps = [];
    this.#shape = undefined;
  }
}
