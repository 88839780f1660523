/** A film as MP4: the run goes on, the camera moves, each picture is encoded by the browser (WebCodecs, by mediabunny). */
import type { VideoCodec } from "mediabunny";
import { GravmeshError } from "../../../foundation/base/errors.ts";
import type { PictureSize } from "../../../studio/view/camera.ts";
import { inColoursOf } from "../../../studio/view/picture.ts";
import type { View } from "../../../studio/view/view.ts";
import { viewAlong } from "../camera.ts";
import type { FilmRequest, Pane, PictureRequest } from "../stage.ts";
import type { PaneShow } from "./pane.ts";

/** What MP4 players know best first. */
const CODECS: VideoCodec[] = ["avc", "av1", "vp9", "hevc"];
/** Seconds from one picture that stands by itself to the next. */
const KEY_EVERY = 2;

interface FilmSet {
  album: Album;
  view: View;
  /** Times that the film begins and ends at; equal where time stands still [time]. */
  from: number;
  until: number;
  /** Moves all that goes up to a time, or as near as whole steps lead. */
  moveTo(time: number): Promise<void>;
  progress(share: number): void;
  signal: AbortSignal;
}

export async function makeFilm({ seconds, rate, keyframes }: FilmRequest, set: FilmSet): Promise<Blob> {
  const { album, view, from, until, moveTo, progress, signal } = set;
  if (typeof VideoEncoder === "undefined") throw noEncoder("it has no WebCodecs");
  const media = await import("mediabunny");
  const { width, height } = album.canvas;
  if (width % 2 || height % 2) {
    throw new GravmeshError("usage", `a film of ${width} × ${height} pixels: both have to be even`);
  }
  const quality = new media.Quality("high");
  const codec = await media.getFirstEncodableVideoCodec(CODECS, { width, height, quality });
  if (!codec) throw noEncoder(`it encodes none of H.264, AV1, VP9 and H.265 at ${width} × ${height} pixels`);
  const target = new media.BufferTarget();
  const output = new media.Output({ format: new media.Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const source = new media.CanvasSource(album.canvas, { codec, quality, keyFrameInterval: KEY_EVERY });
  output.addVideoTrack(source, { frameRate: rate });
  const pictures = Math.max(1, Math.round(seconds * rate));
  try {
    await output.start();
    for (let i = 0; i < pictures; i++) {
      if (signal.aborted) throw new GravmeshError("aborted", "The film was given up");
      const share = pictures === 1 ? 0 : i / (pictures - 1);
      if (until > from) await moveTo(from + share * (until - from));
      await album.draw(viewAlong(keyframes, share, view));
      await source.add(i / rate, 1 / rate);
      progress((i + 1) / pictures);
    }
    await output.finalize();
  } catch (error) {
    await output.cancel().catch(() => {}); // the failure itself is thrown
    throw error;
  }
  return new Blob([target.buffer!], { type: "video/mp4" });
}

function noEncoder(why: string): GravmeshError {
  return new GravmeshError(
    "device",
    `This browser can't make films: ${why}. Chrome, Edge and Safari can; or take \`gravmesh movie\` on the result folder of a run`,
  );
}

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

/** Pictures for files, of one pane or of several beside each other: one canvas for all pictures of a film. */
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
    let first: View | undefined;
    for (const [i, pane] of this.panes.entries()) {
      const { rgba, ...drawn } = await pane.picture(first ?? view, this.#size);
      first ??= inColoursOf(drawn.view, drawn);
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
