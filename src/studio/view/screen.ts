/** The last of a picture on the GPU: how bright its brightest is, and the colours of its pixels. */
import rangeWgsl from "../../../wgsl/studio/view/range.wgsl";
import toneWgsl from "../../../wgsl/studio/view/tone.wgsl";
import toneDensityWgsl from "../../../wgsl/studio/view/tone-density.wgsl";
import toneMotionWgsl from "../../../wgsl/studio/view/tone-motion.wgsl";
import toneSpeciesWgsl from "../../../wgsl/studio/view/tone-species.wgsl";
import valueMassWgsl from "../../../wgsl/studio/view/value-mass.wgsl";
import valueMotionWgsl from "../../../wgsl/studio/view/value-motion.wgsl";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { f32, packUniform, u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import { SPECIES, type Species } from "../../physics/particles/state.ts";
import type { PictureSize } from "./camera.ts";
import { cellsOf, LazyKernels } from "./grid.ts";
import { MOMENTS as MOMENTS_OF } from "./layers.ts";
import { PACE } from "./picture.ts";
import { squares } from "./picture-levels.ts";
import type { Maps } from "./pyramid.ts";
import {
  colourTable,
  contrastOf,
  lightOf,
  SATURATED,
  SHARE_COLOURS,
  sampleStride,
  shareBits,
  shareTable,
  TABLE_COLOURS,
} from "./tone.ts";
import { STRETCHES, type View } from "./view.ts";

const GROUP = 64;
/** Invocations of a side of a workgroup that colours. */
const SIDE = 8;
const BINS = 4096;
const TONE_WORDS = 12;
const RANGE_WORDS = 8;
/** Rows of bytes begin at multiples of so many, as copies into textures want [bytes]. */
const ROW_UNIT = 256;
/** Blocks of a row for an invocation. */
const RUN = { software: 4, hardware: 1 };
/** Maps of a picture at most. */
const MOST_MAPS = SPECIES.length;

/** Formats of canvases and textures that pictures are copied into: the order of a pixel's bytes. */
export const PICTURE_FORMATS = ["rgba8unorm", "bgra8unorm"] as const;
export type PictureFormat = (typeof PICTURE_FORMATS)[number];

/** Throws "usage" for a format that pictures aren't copied into. */
export function pictureFormat(format: string): PictureFormat {
  const found = PICTURE_FORMATS.find((one) => one === format);
  if (found) return found;
  throw new GravmeshError(
    "usage",
    `a picture in a canvas or texture of format ${format}: expected ${PICTURE_FORMATS.join(" or ")}`,
  );
}

export type ScreenKernels = Record<"gather" | "settle" | "shade", Kernel>;

export interface ShadeRequest {
  maps: Maps;
  /** A unit of a density's map [mass/length²]. */
  scale: number;
  format: PictureFormat;
  size: PictureSize;
  view: View;
  species: readonly Species[];
  /** Particles of a pixel from which motion has its full colour. */
  fewest: number;
}

/** The uniform of wgsl/studio/view/range.wgsl. */
function rangeWords({ size, view, fewest, scale }: ShadeRequest, map: number): ArrayBuffer {
  const pixels = cellsOf(size);
  return packUniform([
    ...u32(pixels, sampleStride(pixels)),
    ...f32(SATURATED[view.quantity], PACE),
    ...u32(map),
    ...f32(fewest),
    ...u32(size.width),
    ...f32(scale),
  ]);
}

export function rowBytesOf(width: number): number {
  return ROW_UNIT * Math.ceil((4 * width) / ROW_UNIT);
}

export class Screen {
  /** f32: brightest value of each of MOST_MAPS maps, 0 of none yet. */
  readonly found: GPUBuffer;
  readonly #histogram: GPUBuffer;
  readonly #tone: GPUBuffer;
  readonly #ranges: readonly GPUBuffer[];
  readonly #kernels = new LazyKernels<ScreenKernels>();
  /** Colours, a byte each: [TABLE_COLOURS], of densities [SHARE_COLOURS]. */
  readonly #table: GPUBuffer;
  #tableOf = "";
  #size: PictureSize | undefined;
  #bytes: GPUBuffer | undefined;

  constructor(private readonly gpu: GpuContext) {
    const { buffers } = gpu;
    this.found = buffers.storage("brightest of a picture", 4 * MOST_MAPS, "other");
    this.#histogram = buffers.storage("histogram of a picture", 4 * BINS, "other");
    this.#tone = buffers.uniform("tone of a picture", 4 * (TONE_WORDS + 4 * MOST_MAPS));
    this.#table = buffers.storage("colours of a picture", 4 * Math.max(TABLE_COLOURS, SHARE_COLOURS), "other");
    this.#ranges = SPECIES.map(() => buffers.uniform("brightness of a map", 4 * RANGE_WORDS));
  }

  /** [height, rowBytes], four a pixel, of the picture coloured last. */
  get bytes(): GPUBuffer {
    return this.#bytes!;
  }

  async reserve({ width, height }: PictureSize): Promise<void> {
    if (this.#size?.width === width && this.#size.height === height) return;
    const { buffers } = this.gpu;
    buffers.release(this.#bytes);
    this.#bytes = buffers.storage("bytes of a picture", rowBytesOf(width) * height, "other");
    this.#size = { width, height };
    await buffers.settle();
  }

  /** Compiles what a view needs, for bytes of a format. */
  prepare({ quantity, stretch }: Pick<View, "quantity" | "stretch">, format: PictureFormat): Promise<ScreenKernels> {
    const MOMENTS = MOMENTS_OF[quantity];
    const constants = { GROUP, BINS: `${BINS}u`, MOMENTS };
    const sources = [rangeWgsl, MOMENTS > 0 ? valueMotionWgsl : valueMassWgsl];
    const kernel = (entry: string) => this.gpu.kernel({ label: `view/${entry}`, sources, entry, constants });
    const colours = quantity === "species" ? toneSpeciesWgsl : MOMENTS > 0 ? toneMotionWgsl : toneDensityWgsl;
    const tone = {
      ...{ label: `view/tone of ${quantity}`, sources: [toneWgsl, colours], entry: "shade" },
      constants: {
        ...{ SIDE, MOMENTS, RUN: `${this.#run}u`, MOST_MAPS, TABLE_COLOURS: `${TABLE_COLOURS}u` },
        ...{
          KIND: STRETCHES.indexOf(stretch),
          SHARE_COLOURS: `${SHARE_COLOURS}u`,
          BLUE_FIRST: format === "bgra8unorm",
        },
      },
    };
    return this.#kernels.get(`${quantity} ${stretch} ${format}`, async () => {
      const [gather, settle, shade] = await Promise.all([kernel("gather"), kernel("settle"), this.gpu.kernel(tone)]);
      return { gather, settle, shade };
    });
  }

  /** Colours the maps: `bytes` holds the picture. */
  encode(batch: Batch, kernels: ScreenKernels, request: ShadeRequest): void {
    const { view, maps, size } = request;
    batch.stage("tone");
    if (view.brightest === "auto") this.#encodeRange(batch, kernels, request);
    this.#writeTone(batch, request);
    const all = Array.from({ length: MOST_MAPS }, (_, i) => maps.maps[Math.min(i, maps.maps.length - 1)]);
    if (maps.motion) all[1] = maps.motion;
    const runs = { width: Math.ceil(size.width / 2 / this.#run), height: Math.ceil(size.height / 2) };
    batch.dispatch(kernels.shade.bind(this.#tone, this.found, this.bytes, ...all, this.#table), squares(runs, SIDE));
  }

  destroy(): void {
    this.gpu.buffers.release(this.found, this.#histogram, this.#tone, this.#table, this.#bytes, ...this.#ranges);
  }

  get #run(): number {
    return this.gpu.adapter.software ? RUN.software : RUN.hardware;
  }

  #encodeRange(batch: Batch, { gather, settle }: ScreenKernels, request: ShadeRequest): void {
    const { size, maps } = request;
    const pixels = cellsOf(size);
    const stride = sampleStride(pixels);
    for (const [i, map] of maps.maps.entries()) {
      batch.write(this.#ranges[i], 0, rangeWords(request, i));
      const buffers = [this.#ranges[i], this.#histogram, this.found, map, ...(maps.motion ? [maps.motion] : [])];
      batch.clear(this.#histogram);
      batch.dispatch(gather.bind(...buffers), workgroups(Math.ceil(pixels / stride), GROUP));
      batch.dispatch(settle.bind(...buffers), [1]);
    }
  }

  #writeTone(batch: Batch, request: ShadeRequest): void {
    const { view, format } = request;
    batch.write(this.#tone, 0, this.#toneWords(request));
    if (view.quantity === "species") return;
    const contrast = contrastOf(view);
    const byShare = view.quantity === "density";
    const tableOf = [view.quantity, format, ...(byShare ? [view.stretch, contrast] : [])].join(" ");
    if (this.#tableOf === tableOf) return;
    this.#tableOf = tableOf;
    const blueFirst = format === "bgra8unorm";
    const table = byShare ? shareTable(view.stretch, contrast, blueFirst) : colourTable(view.quantity, blueFirst);
    batch.write(this.#table, 0, table.buffer);
  }

  #toneWords({ size, view, species, fewest, scale }: ShadeRequest): ArrayBuffer {
    const { stretch, brightest } = view;
    const given = brightest === "auto" ? 0 : brightest;
    const contrast = contrastOf(view);
    const perContrast = 1 / (stretch === "asinh" ? Math.asinh(contrast) : Math.log(contrast));
    const lights = Array.from({ length: MOST_MAPS }, (_, i) => lightOf(species[Math.min(i, species.length - 1)]));
    return packUniform([
      ...u32(size.width, size.height, species.length, rowBytesOf(size.width) / 4),
      ...f32(contrast, fewest, given, perContrast),
      ...[...u32(shareBits(contrast)), ...f32(scale), ...u32(0, 0)],
      ...f32(...lights.flatMap((light) => [...light, 1])),
    ]);
  }
}
