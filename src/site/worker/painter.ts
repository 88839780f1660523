/** Draws what a pane shows onto its canvases: by compute on the page's device, or by the processor without one. */
import { GravmeshError } from "../../base/errors.ts";
import type { GpuContext } from "../../gpu/context.ts";
import type { PictureSize } from "../../view/camera.ts";
import { HostRenderer } from "../../view/host-renderer.ts";
import type { Drawn, Grid, Picture } from "../../view/picture.ts";
import { Renderer } from "../../view/renderer.ts";
import type { View } from "../../view/view.ts";
import type { PaneCanvases } from "../stage.ts";
import type { Drawable } from "./exhibit.ts";

export interface Painter {
  /** That it draws on. */
  readonly gpu: GpuContext | undefined;
  /** Onto the pane's canvas. `steady`: one of many pictures that follow each other. */
  draw(drawable: Drawable, view: View, steady: boolean): Promise<Drawn>;
  /** In bytes. */
  picture(drawable: Drawable, view: View, size: PictureSize): Promise<Picture>;
  /** The integers behind what was drawn last. */
  counts(): Promise<Grid | undefined>;
  destroy(): void;
}

/** Throws "device" for a canvas that was drawn on by the other kind before. */
export async function painterOn(gpu: GpuContext | undefined, { picture }: PaneCanvases): Promise<Painter> {
  const context = gpu ? picture.getContext("webgpu") : picture.getContext("2d");
  if (!context) throw new GravmeshError("device", "the picture can't be drawn on another device: load the page again");
  if (!gpu) return new HostPainter(context as OffscreenCanvasRenderingContext2D);
  return new DevicePainter(gpu, context as unknown as GPUCanvasContext, await Renderer.create(gpu));
}

class DevicePainter implements Painter {
  constructor(
    readonly gpu: GpuContext,
    private readonly context: GPUCanvasContext,
    private readonly renderer: Renderer,
  ) {}

  draw(drawable: Drawable, view: View, steady: boolean): Promise<Drawn> {
    this.#show(drawable);
    return this.renderer.draw(view, this.context, { steady });
  }

  picture(drawable: Drawable, view: View, size: PictureSize): Promise<Picture> {
    this.#show(drawable);
    return this.renderer.picture(view, size);
  }

  counts(): Promise<Grid | undefined> {
    return this.renderer.counts();
  }

  destroy(): void {
    this.renderer.destroy();
  }

  #show(drawable: Drawable): void {
    if (drawable.on === "device") this.renderer.show(drawable.scene);
  }
}

class HostPainter implements Painter {
  readonly gpu = undefined;
  readonly #renderer = new HostRenderer();

  constructor(private readonly context: OffscreenCanvasRenderingContext2D) {}

  draw(drawable: Drawable, view: View, steady: boolean): Promise<Drawn> {
    this.#show(drawable);
    return this.#renderer.draw(view, this.context, { steady });
  }

  picture(drawable: Drawable, view: View, size: PictureSize): Promise<Picture> {
    this.#show(drawable);
    return this.#renderer.picture(view, size);
  }

  counts(): Promise<Grid | undefined> {
    return this.#renderer.counts();
  }

  destroy(): void {
    this.#renderer.destroy();
  }

  #show(drawable: Drawable): void {
    if (drawable.on === "host") this.#renderer.show(drawable.particles);
  }
}
