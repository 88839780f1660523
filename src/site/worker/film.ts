/** A film as MP4: the run goes on, the camera moves, each picture is encoded by the browser (WebCodecs, by mediabunny). */
import type { VideoCodec } from "mediabunny";
import { GravmeshError } from "../../base/errors.ts";
import type { View } from "../../view/view.ts";
import { viewAlong } from "../camera-path.ts";
import type { FilmRequest } from "../stage.ts";
import type { Album } from "./album.ts";

/** What MP4 players know best first. */
const CODECS: VideoCodec[] = ["avc", "av1", "vp9", "hevc"];
/** Seconds from one picture that stands by itself to the next. */
const KEY_EVERY = 2;

export interface FilmSet {
  album: Album;
  /** The view of the page now. */
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
