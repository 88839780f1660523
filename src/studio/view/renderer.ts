/** Pictures of particles on the GPU, a submission each: counted (grid.ts), blurred (pyramid.ts), coloured (screen.ts). */
import type { Batch } from "../../foundation/gpu/batch.ts";
import { GpuContext } from "../../foundation/gpu/context.ts";
import { wrapDevice } from "../../foundation/gpu/device.ts";
import { type PictureSize, type Projection, projectionOf } from "./camera.ts";
import { GridCounter } from "./grid.ts";
import { type LayerPlan, layerPlan, MOMENTS } from "./layers.ts";
import { type Drawn, type DrawOptions, type Picture, type PictureGrid, requireScene, requireSize } from "./picture.ts";
import { fewestParticles, levelCount, particlesWanted } from "./picture-levels.ts";
import { Pyramid } from "./pyramid.ts";
import type { Scene } from "./scene.ts";
import { type PictureFormat, pictureFormat, rowBytesOf, Screen } from "./screen.ts";
import { contrastOf } from "./tone.ts";
import type { View } from "./view.ts";

/** GPUTextureUsage of the WebGPU specification. */
const COPY_DST = 0x02;
const RENDER_ATTACHMENT = 0x10;

interface Setting {
  scene: Scene;
  view: View;
  plan: LayerPlan;
  projection: Projection;
  levels: number;
}

export class Renderer {
  #scene: Scene | undefined;
  #last: { view: View; plan: LayerPlan; size: PictureSize } | undefined;
  #plan: { of: readonly unknown[]; plan: LayerPlan } | undefined;
  /** What the brightness kept on the GPU is of. */
  #steadyOf = "";
  readonly #counter: GridCounter;
  readonly #pyramid: Pyramid;
  readonly #screen: Screen;
  readonly #configured = new WeakSet<GPUCanvasContext>();
  /** Pictures are drawn one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly gpu: GpuContext,
    /** The format of canvases that it configures. */
    private readonly format: PictureFormat,
  ) {
    this.#counter = new GridCounter(gpu);
    this.#pyramid = new Pyramid(gpu);
    this.#screen = new Screen(gpu);
  }

  /** On the device of the simulations that it shall draw; `format`: of canvases, the browser's preferred one when left out. */
  static async create(
    gpu: GpuContext | GPUDevice,
    { format: wished }: { format?: PictureFormat } = {},
  ): Promise<Renderer> {
    const format = pictureFormat(wished ?? globalThis.navigator?.gpu?.getPreferredCanvasFormat() ?? "rgba8unorm");
    const account = gpu instanceof GpuContext ? gpu.account() : wrapDevice(gpu);
    const renderer = new Renderer(account, format);
    await account.buffers.settle();
    return renderer;
  }

  show(scene: Scene | undefined): void {
    if (scene !== this.#scene) this.#steadyOf = "";
    this.#scene = scene;
  }

  /**
   * Draws into a canvas, as large as that is, or into a texture of four bytes a texel with the usage COPY_DST. Nothing may
   * advance the simulation until the promise resolves to what was drawn, which a legend needs; pictures asked for meanwhile
   * wait.
   */
  draw(view: View, target: GPUCanvasContext | GPUTexture, options: DrawOptions = {}): Promise<Drawn> {
    return this.#inTurn(async () => {
      const isTexture = "createView" in target;
      const { width, height } = isTexture ? target : target.canvas;
      const format = isTexture ? pictureFormat(target.format) : this.format;
      const setting = await this.#setting(view, { width, height });
      const brightest = await this.#render(setting, options, format, (batch) => {
        if (!isTexture) this.#configure(target);
        const texture = isTexture ? target : target.getCurrentTexture();
        batch.copyIntoTexture(this.#screen.bytes, rowBytesOf(width), texture);
      });
      return this.#drawn(setting, brightest);
    });
  }

  /** A picture in bytes. */
  picture(view: View, size: PictureSize, options: DrawOptions = {}): Promise<Picture> {
    return this.#inTurn(async () => {
      const { width, height } = size;
      const setting = await this.#setting(view, size);
      const brightest = await this.#render(setting, options, "rgba8unorm");
      const rowBytes = rowBytesOf(width);
      const rows = new Uint8Array(await this.gpu.read(this.#screen.bytes));
      const rgba = new Uint8ClampedArray(4 * width * height);
      for (let y = 0; y < height; y++) rgba.set(rows.subarray(y * rowBytes, y * rowBytes + 4 * width), 4 * width * y);
      return { ...this.#drawn(setting, brightest), rgba };
    });
  }

  /** The integer grid of the last picture; undefined before the first. */
  counts(): Promise<PictureGrid | undefined> {
    return this.#inTurn(async () => {
      if (!this.#last) return undefined;
      const { view, plan, size } = this.#last;
      return { ...size, view, layers: plan.layers.map(({ name }) => name), ...(await this.#counter.read()) };
    });
  }

  /** Accumulated time of the stages count, blur and tone [ms], where the device tells; see `resetTimes`. */
  stageTimes() {
    return this.gpu.timer.totals();
  }

  resetTimes(): void {
    this.gpu.resetCounts();
  }

  destroy(): void {
    this.#counter.destroy();
    this.#pyramid.destroy();
    this.#screen.destroy();
    this.gpu.destroy();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Made once for what doesn't change with the camera. */
  #planOf(scene: Scene, view: View): LayerPlan {
    const { components, weights, thinned } = scene;
    const of = [components, weights, thinned, view.quantity, view.every, view.hidden.join("\n")];
    if (!this.#plan || of.some((one, i) => one !== this.#plan!.of[i]))
      this.#plan = { of, plan: layerPlan(scene, view) };
    return this.#plan.plan;
  }

  async #setting(view: View, size: PictureSize): Promise<Setting> {
    const scene = requireScene(this.#scene);
    requireSize(size);
    const plan = this.#planOf(scene, view);
    const moments = MOMENTS[view.quantity];
    const levels = levelCount(size, view.smoothing);
    const { width, height } = size;
    await this.#counter.reserve({ width, height, layers: Math.max(1, plan.layers.length), moments });
    await this.#screen.reserve(size);
    await this.#pyramid.reserve({ width, height, moments, levels, maps: Math.max(1, plan.maps.length) });
    return { scene, view, plan, levels, projection: projectionOf(view.camera, size, scene) };
  }

  /** Records a picture and submits it; resolves to the brightest of its maps. */
  async #render(
    { scene, view, plan, projection, levels }: Setting,
    { steady = false }: DrawOptions,
    format: PictureFormat,
    finish: (batch: Batch) => void = () => {},
  ): Promise<number[]> {
    const moments = MOMENTS[view.quantity];
    const { width, height, pixel } = projection;
    const area = pixel ** 2;
    // A density of one layer stays a count until it is coloured.
    const isCount = view.quantity === "density" && plan.layers.length === 1 && levels > 0;
    const layers = isCount ? [{ ...plan.layers[0], mass: area }] : plan.layers;
    const [count, blur, screen] = await Promise.all([
      this.#counter.prepare({ scene, plan, projection }, moments),
      this.#pyramid.prepare(moments),
      this.#screen.prepare(view, format),
    ]);
    const size = { width, height };
    const batch = this.gpu.batch("drawing");
    const steadyOf = [view.quantity, ...plan.maps].join(" ");
    if (!steady || this.#steadyOf !== steadyOf) batch.clear(this.#screen.found);
    this.#steadyOf = steady ? steadyOf : "";
    this.#counter.encode(batch, count, { scene, plan, projection });
    const smoothing = particlesWanted(view);
    const fewest = fewestParticles(levels, smoothing);
    this.#pyramid.encode(batch, blur, this.#counter, { layers, smoothing, area });
    this.#screen.encode(batch, screen, {
      ...{ maps: this.#pyramid.maps, scale: isCount ? plan.layers[0].mass / area : 1 },
      ...{ format, size, view, species: plan.maps, fewest },
    });
    finish(batch);
    this.#last = { view, plan, size };
    return [...new Float32Array(await batch.readBack(this.#screen.found))];
  }

  #drawn({ view, plan, projection }: Setting, found: readonly number[]): Drawn {
    const { width, height, pixel } = projection;
    const { quantity, stretch, brightest: given } = view;
    const brightest = plan.maps.map((_, i) => (given === "auto" ? found[i] : given));
    const range = { quantity, stretch, contrast: contrastOf(view), brightest, maps: plan.maps };
    return { width, height, view, pixel, range };
  }

  #configure(context: GPUCanvasContext): void {
    if (this.#configured.has(context)) return;
    const { format } = this;
    context.configure({ device: this.gpu.device, format, alphaMode: "opaque", usage: COPY_DST | RENDER_ATTACHMENT });
    this.#configured.add(context);
  }
}
