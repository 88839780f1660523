/** Pictures for files: of one pane or of several beside each other, with legends where they are wanted. */
import { GravmeshError } from "../../base/errors.ts";
import type { PictureSize } from "../../view/camera.ts";
import type { View } from "../../view/view.ts";
import type { Pane, PictureRequest } from "../stage.ts";
import type { PaneShow } from "./pane.ts";

/** Between pictures [pixel]; even, as films want their sides. */
const GAP = 4;

/** The panes of a request that show something. Throws "usage" where none does. */
export function pictured(names: readonly Pane[], panes: ReadonlyMap<Pane, PaneShow>): PaneShow[] {
  const found = names.flatMap((name) => {
    const pane = panes.get(name);
    return pane?.showsSomething ? [pane] : [];
  });
  if (found.length === 0) throw new GravmeshError("usage", "nothing is shown that a picture could be of");
  return found;
}

/** One canvas for all pictures of a film. */
export class Album {
  readonly canvas: OffscreenCanvas;
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #size: PictureSize;

  constructor(
    private readonly panes: readonly PaneShow[],
    private readonly request: Pick<PictureRequest, "width" | "height" | "legend">,
  ) {
    const { width, height } = panes[0].size;
    this.#size = { width: request.width ?? width, height: request.height ?? height };
    const wide = panes.length * this.#size.width + (panes.length - 1) * GAP;
    this.canvas = new OffscreenCanvas(wide, this.#size.height);
    const context = this.canvas.getContext("2d");
    if (!context) throw new GravmeshError("device", `the browser has no room for a picture of ${wide} pixels a row`);
    this.#context = context;
  }

  async draw(view: View | undefined): Promise<void> {
    const context = this.#context;
    const { width, height } = this.#size;
    context.fillStyle = "black";
    context.fillRect(0, 0, this.canvas.width, height);
    for (const [i, pane] of this.panes.entries()) {
      const { rgba, ...drawn } = await pane.picture(view, this.#size);
      const x = i * (width + GAP);
      context.putImageData(new ImageData(rgba, width, height), x, 0);
      if (!this.request.legend) continue;
      context.save();
      context.translate(x, 0);
      pane.drawLegend(context, drawn);
      context.restore();
    }
  }

  toPng(): Promise<Blob> {
    return this.canvas.convertToBlob({ type: "image/png" });
  }
}
