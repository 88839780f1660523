/** Draws what a pane shows onto its canvases. */

import type { GpuContext } from "../../gpu/context.ts";
import { imageOnAxis } from "../../particles/fixed-point.ts";
import type { View } from "../../view/view.ts";
import type { PaneCanvases, PaneSize } from "../stage.ts";
import type { Drawable } from "./exhibit.ts";

export interface Painter {
  draw(drawable: Drawable, view: View): Promise<void>;
  /** Nothing is shown. */
  clear(): void;
  resize(size: PaneSize): void;
  destroy(): void;
}

/** Points on a 2D canvas, of particles that are read back. */
export class BarePainter implements Painter {
  readonly #context: OffscreenCanvasRenderingContext2D;

  constructor(
    private readonly canvases: PaneCanvases,
    size: PaneSize,
    private readonly gpu: GpuContext | undefined,
  ) {
    this.resize(size);
    this.#context = canvases.picture.getContext("2d")!;
  }

  resize({ width, height }: PaneSize): void {
    for (const canvas of [this.canvases.picture, this.canvases.legend]) Object.assign(canvas, { width, height });
  }

  clear(): void {
    const { width, height } = this.canvases.picture;
    this.#context.clearRect(0, 0, width, height);
  }

  async draw(drawable: Drawable, { camera }: View): Promise<void> {
    const { width, height } = this.canvases.picture;
    const context = this.#context;
    context.fillStyle = "black";
    context.fillRect(0, 0, width, height);
    context.fillStyle = "white";
    const scale = Math.min(width, height) / camera.span;
    const [cosA, sinA] = turned(camera.azimuth);
    const [cosE, sinE] = turned(camera.elevation);
    for (const { positions, images, boxSize } of await parts(drawable, this.gpu)) {
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
  }

  destroy(): void {}
}

const turned = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];

async function parts(drawable: Drawable, gpu: GpuContext | undefined) {
  if (drawable.on === "host") return [drawable.particles];
  const { scene } = drawable;
  return Promise.all(
    scene.windows().map(async ({ positions, images }) => ({
      boxSize: scene.boxSize,
      positions: new Uint32Array(await gpu!.read(positions)),
      images: images && new Uint32Array(await gpu!.read(images)),
    })),
  );
}
