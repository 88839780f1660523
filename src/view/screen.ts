/** The last of a picture on the GPU: how bright its brightest is, and the colours of its pixels. */
import rangeWgsl from "../../wgsl/view/range.wgsl";
import toneWgsl from "../../wgsl/view/tone.wgsl";
import toneDensityWgsl from "../../wgsl/view/tone-density.wgsl";
import toneMotionWgsl from "../../wgsl/view/tone-motion.wgsl";
import toneSpeciesWgsl from "../../wgsl/view/tone-species.wgsl";
import valueMassWgsl from "../../wgsl/view/value-mass.wgsl";
import valueMotionWgsl from "../../wgsl/view/value-motion.wgsl";
import { GravmeshError } from "../errors.ts";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { f32, packUniform, u32 } from "../gpu/buffers.ts";
import { composeWgsl } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { captured } from "../gpu/scopes.ts";
import { SPECIES, type Species } from "../particles/state.ts";
import type { PictureSize } from "./camera.ts";
import { cellsOf } from "./grid.ts";
import { MOMENTS } from "./layers.ts";
import type { Maps } from "./pyramid.ts";
import { colourTable, contrastOf, lightOf, SAMPLE, SATURATED, TABLE_COLOURS } from "./tone.ts";
import { type Quantity, STRETCHES, type View } from "./view.ts";

const GROUP = 64;
const BINS = 4096;
const MOST_MAPS = SPECIES.length;
const TONE_WORDS = 8;
/** Binding of the table. */
const TABLE = 8;
const RANGE_WORDS = 8;

export interface ScreenKernels {
  gather: Kernel;
  settle: Kernel;
  pipeline: GPURenderPipeline;
}

export interface ShadeRequest {
  size: PictureSize;
  view: View;
  species: readonly Species[];
  maps: Maps;
  /** Particles of a pixel from which motion has its full colour. */
  fewest: number;
  /** How far the brightness goes over to that of this picture [0…1]. */
  pace: number;
}

export class Screen {
  /** [MOST_MAPS] f32 brightest value of each map; 0 of none yet. */
  readonly brightest: GPUBuffer;
  readonly #histogram: GPUBuffer;
  readonly #tone: GPUBuffer;
  readonly #ranges: readonly GPUBuffer[];
  readonly #kernels = new Map<string, Promise<ScreenKernels>>();
  /** [TABLE_COLOURS] rgba, a byte each. */
  readonly #table: GPUBuffer;
  #tableOf: Quantity | undefined;

  constructor(private readonly gpu: GpuContext) {
    const { buffers } = gpu;
    this.brightest = buffers.storage("brightest of the maps", 4 * MOST_MAPS, "other");
    this.#histogram = buffers.storage("histogram of a picture", 4 * BINS, "other");
    this.#tone = buffers.uniform("tone of a picture", 4 * (TONE_WORDS + 4 * MOST_MAPS));
    this.#table = buffers.storage("colours of a picture", 4 * TABLE_COLOURS, "other");
    this.#ranges = SPECIES.map(() => buffers.uniform("brightness of a map", 4 * RANGE_WORDS));
  }

  /** Compiles what a quantity needs, for targets of a format. */
  prepare(quantity: Quantity, format: GPUTextureFormat): Promise<ScreenKernels> {
    const key = `${quantity} ${format}`;
    const kept = this.#kernels.get(key);
    if (kept) return kept;
    const moments = MOMENTS[quantity];
    const constants = { GROUP, BINS: `${BINS}u`, MOMENTS: moments };
    const sources = [rangeWgsl, moments > 0 ? valueMotionWgsl : valueMassWgsl];
    const kernel = (entry: string) => this.gpu.kernel({ label: `view/${entry}`, sources, entry, constants });
    const made = Promise.all([kernel("gather"), kernel("settle"), this.#pipeline(quantity, format)]).then(
      ([gather, settle, pipeline]) => ({ gather, settle, pipeline }),
    );
    made.catch(() => this.#kernels.delete(key));
    this.#kernels.set(key, made);
    return made;
  }

  /** Forgets how bright the pictures before were. */
  encodeReset(batch: Batch): void {
    batch.clear(this.brightest);
  }

  /** Colours the maps. */
  encode(batch: Batch, kernels: ScreenKernels, request: ShadeRequest, target: GPUTextureView): void {
    const { view, maps } = request;
    batch.stage("tone");
    if (view.brightest === "auto") this.#encodeRange(batch, kernels, request);
    batch.write(this.#tone, 0, this.#toneWords(request));
    if (this.#tableOf !== view.quantity && view.quantity !== "species") {
      this.#tableOf = view.quantity;
      batch.write(this.#table, 0, colourTable(view.quantity).buffer);
    }
    const all = Array.from({ length: MOST_MAPS }, (_, i) => maps.maps[Math.min(i, maps.maps.length - 1)]);
    const shown = view.quantity === "species" ? all : maps.motion ? [maps.maps[0], maps.motion] : maps.maps.slice(0, 1);
    const entries = [this.#tone, this.brightest, ...shown].map((buffer, binding) => ({
      binding,
      resource: { buffer },
    }));
    if (view.quantity !== "species") entries.push({ binding: TABLE, resource: { buffer: this.#table } });
    const layout = kernels.pipeline.getBindGroupLayout(0);
    const group = this.gpu.device.createBindGroup({ label: "colours of a picture", layout, entries });
    batch.draw(kernels.pipeline, group, target);
  }

  destroy(): void {
    this.gpu.buffers.release(this.brightest, this.#histogram, this.#tone, this.#table, ...this.#ranges);
  }

  #encodeRange(
    batch: Batch,
    { gather, settle }: ScreenKernels,
    { size, view, maps, fewest, pace }: ShadeRequest,
  ): void {
    const pixels = cellsOf(size);
    const stride = Math.max(1, Math.floor(pixels / SAMPLE));
    for (const [i, map] of maps.maps.entries()) {
      const words = [...u32(pixels, stride), ...f32(SATURATED[view.quantity], pace), ...u32(i), ...f32(fewest)];
      batch.write(this.#ranges[i], 0, packUniform(words));
      const buffers = [this.#ranges[i], this.#histogram, this.brightest, map, ...(maps.motion ? [maps.motion] : [])];
      batch.clear(this.#histogram);
      batch.dispatch(gather.bind(...buffers), workgroups(Math.ceil(pixels / stride), GROUP));
      batch.dispatch(settle.bind(...buffers), [1]);
    }
  }

  #toneWords({ size, view, species, fewest }: ShadeRequest): ArrayBuffer {
    const { stretch, brightest } = view;
    const given = brightest === "auto" ? 0 : brightest;
    const contrast = contrastOf(view);
    const scale = 1 / (stretch === "asinh" ? Math.asinh(contrast) : Math.log(contrast));
    const lights = Array.from({ length: MOST_MAPS }, (_, i) => lightOf(species[Math.min(i, species.length - 1)]));
    return packUniform([
      ...u32(size.width, size.height, STRETCHES.indexOf(stretch), species.length),
      ...f32(contrast, fewest, given, scale, ...lights.flatMap((light) => [...light, 1])),
    ]);
  }

  async #pipeline(quantity: Quantity, format: GPUTextureFormat): Promise<GPURenderPipeline> {
    const { device } = this.gpu;
    const moments = MOMENTS[quantity];
    const shading = quantity === "species" ? toneSpeciesWgsl : moments > 0 ? toneMotionWgsl : toneDensityWgsl;
    const { code } = composeWgsl([toneWgsl, shading], {
      ...{ MOMENTS: moments, MOST_MAPS, TABLE_COLOURS: `${TABLE_COLOURS}u` },
    });
    const made = captured(device, () => {
      const module = device.createShaderModule({ label: `view/tone of ${quantity}`, code });
      return device.createRenderPipelineAsync({
        ...{ label: `view/tone of ${quantity}`, layout: "auto", primitive: { topology: "triangle-list" } },
        vertex: { module, entryPoint: "whole" },
        fragment: { module, entryPoint: "shade", targets: [{ format }] },
      });
    });
    try {
      return await made.value;
    } catch (cause) {
      const { message } = (await made.error) ?? (cause as Error);
      throw new GravmeshError("device", `colouring pictures of ${quantity}: ${message}`, { cause });
    }
  }
}
