/** Draws what a pane shows onto its canvases: by compute on the page's device, or by the processor without one. */
import { GravmeshError } from "../../base/errors.ts";
import type { GpuContext } from "../../gpu/context.ts";
import { HostRenderer } from "../../view/host-renderer.ts";
import type { Drawn } from "../../view/picture.ts";
import { Renderer } from "../../view/renderer.ts";
import type { View } from "../../view/view.ts";
import type { PaneCanvases } from "../stage.ts";
import type { Drawable } from "./exhibit.ts";

export interface Painter extends Pick<Renderer, "picture" | "counts" | "destroy"> {
  /** The device that it draws on. */
  readonly gpu: GpuContext | undefined;
  /** What the next pictures are of. */
  show(drawable: Drawable): void;
  /** Onto the pane's canvas. `steady`: one of many pictures that follow each other. */
  draw(view: View, steady: boolean): Promise<Drawn>;
}

/** Throws "device" for a canvas that was drawn on by the other kind before. */
export async function painterOn(gpu: GpuContext | undefined, { picture }: PaneCanvases): Promise<Painter> {
  const renderer = gpu ? await Renderer.create(gpu) : new HostRenderer();
  const context: unknown = gpu ? picture.getContext("webgpu") : picture.getContext("2d");
  if (!context) throw new GravmeshError("device", "the picture can't be drawn on another device: load the page again");
  return {
    gpu,
    show: (drawable) => renderer.show(drawable as never), // scenes where there is a device, particles where there is none
    draw: (view, steady) => renderer.draw(view, context as never, { steady }),
    picture: (view, size) => renderer.picture(view, size),
    counts: () => renderer.counts(),
    destroy: () => renderer.destroy(),
  };
}
