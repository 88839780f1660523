/** Draws what a pane shows onto its canvases: by compute on the page's device, or by the processor without one. */
import { GravmeshError } from "../../errors.ts";
import type { GpuContext } from "../../gpu/context.ts";
import { imageOnAxis } from "../../particles/fixed-point.ts";
import type { PictureSize } from "../../view/camera.ts";
import { type Drawn, type Grid, type Picture, Renderer } from "../../view/renderer.ts";
import type { View } from "../../view/view.ts";
import type { PaneCanvases } from "../stage.ts";
import type { Drawable } from "./exhibit.ts";

export interface Painter {
  /** That it draws on. */
  readonly gpu: GpuContext | undefined;
  /** Onto the pane's canvas. `steady`: one of many pictures that follow each other. */
  draw(drawable: Drawable, view: View, steady: boolean): Promise<Drawn | undefined>;
  /** In bytes. */
  picture(drawable: Drawable, view: View, size: PictureSize): Promise<Picture>;
  /** The integers behind what was drawn last. */
  counts(): Promise<Grid | undefined>;
  destroy(): void;
}

export async function painterOn(gpu: GpuContext | undefined, { picture }: PaneCanvases): Promise<Painter> {
  const context = gpu ? picture.getContext("webgpu") : picture.getContext("2d");
  if (!context) {
    throw new GravmeshError("device", "the canvas can't be drawn on another device: load the page again");
  }
  if (gpu) return new GpuPainter(gpu, context as unknown as GPUCanvasContext, await Renderer.create(gpu));
  return new BarePainter(context as OffscreenCanvasRenderingContext2D);
}

class GpuPainter implements Painter {
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
    if (drawable.on === "host") throw new Error("particles of the host that a device should draw");
    this.renderer.show(drawable.scene);
  }
}

/** Points. */
class BarePainter implements Painter {
  readonly gpu = undefined;

  constructor(private readonly context: OffscreenCanvasRenderingContext2D) {}

  async draw(drawable: Drawable, { camera }: View): Promise<undefined> {
    const { context } = this;
    const { width, height } = context.canvas;
    context.fillStyle = "black";
    context.fillRect(0, 0, width, height);
    if (drawable.on !== "host") return;
    context.fillStyle = "white";
    const scale = Math.min(width, height) / camera.span;
    const [cosA, sinA] = turned(camera.azimuth);
    const [cosE, sinE] = turned(camera.elevation);
    const { positions, images, boxSize } = drawable.particles;
    for (let i = 0; i < positions.length; i += 3) {
      const [x, y, z] = [0, 1, 2].map((axis) => {
        const image = images ? imageOnAxis(images[i / 3], axis) : 0;
        return boxSize * (positions[i + axis] / 2 ** 32 + image) - camera.centre[axis];
      });
      const right = x * cosA + y * sinA;
      const up = (y * cosA - x * sinA) * sinE + z * cosE;
      context.fillRect(width / 2 + scale * right, height / 2 - scale * up, 1, 1);
    }
  }

  picture(): Promise<Picture> {
    throw new GravmeshError("device", "no pictures without WebGPU yet");
  }

  async counts(): Promise<undefined> {}

  destroy(): void {}
}

const turned = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
