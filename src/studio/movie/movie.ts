/** `gravmesh movie`: the pictures of a run in one stretch of colours, as MP4 (by ffmpeg), animated PNG or PNG files. */
import { existsSync, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { WarningEvent } from "../../run/events.ts";
import { EXIT } from "../../run/failure.ts";
import { removeDeadParts, requireReplaceable } from "../../run/io/files.node.ts";
import { MAPS_FILE } from "../../run/outputs/maps.ts";
import { evenlyPicked } from "../../run/page/picture-html.ts";
import {
  calm,
  commonStretch,
  type DensityPicture,
  type PictureStretch,
  stripOf,
  stripRows,
} from "../../run/page/pictures.ts";
import { momentInTerminal } from "../../run/page/units.ts";
import { namesIn, particleFiles } from "../../run/results.ts";
import { AnimatedPng } from "./animated-png.ts";
import { Film, filmCodec } from "./ffmpeg.ts";
import { FramePainter } from "./frame.ts";
import type { FilmShape, FrameSource, MovieFormat, MovieRequest, SourcePanel } from "./frames.ts";
import { mapFrames } from "./map-frames.ts";
import { particleFrames } from "./particle-frames.ts";
import { FRAME_NAME, PngFolder } from "./png-folder.ts";

export type MovieEvent =
  | { event: "start"; title: string; from: string; frames: number; width: number; height: number; format: MovieFormat }
  /** A frame is done; `fraction` of all, and what the others should take. */
  | { event: "frame"; index: number; frames: number; fraction: number; remainingSeconds: number }
  | { event: "activity"; what: string }
  | { event: "end"; file: string; bytes: number; frames: number; seconds: number }
  | WarningEvent;

/** Every event, for docs/summary.md. */
export const MOVIE_EVENTS: Record<MovieEvent["event"], string> = {
  activity: "something besides frames begins: `what`",
  start:
    "the first frame begins: `title`, `from` (maps, subsamples or snapshots), `frames`, `width`, `height`, `format` (mp4, apng or png)",
  frame: "a frame is done, about once a second: `index`, `frames`, `fraction`, `remainingSeconds`",
  warning: "something to know: `message`",
  end: "the movie is there: `file`, `bytes`, `frames`, `seconds`",
};

const RATE = 25;
/** The stretch of all is taken from at most so many frames. */
const LOOKED_AT = 16;
/** Their pictures are kept for the frames, as far as they take no more than this [byte]. */
const MOST_KEPT = 2 ** 28;
/** Pictures smaller than this are shown larger, by whole pixels. */
const LEAST_WIDTH = 480;

/** Resolves to the exit code; an interrupted movie leaves nothing. */
export async function movie(
  request: MovieRequest,
  watch: (event: MovieEvent) => void,
  signal: AbortSignal,
): Promise<number> {
  const since = performance.now();
  const { folder, rate = RATE } = request;
  const source = await sourceOf(request, watch);
  const { format, codec } = formatOf(request);
  const out = request.out ?? join(folder, { mp4: "movie.mp4", apng: "movie.png", png: "movie-frames" }[format]);
  requireFree(out, format, request.force === true);
  const pictures = new Pictures(source);
  const { stretch, panels } = await overview(source, pictures, request.decades, watch, signal);
  const frames = source.times.length;
  const cores = request.cores === false ? [] : (await source.levels(0)).cores;
  const painter = new FramePainter({
    ...{ title: source.title, panels, stretch, units: source.units, cores },
    zoom: Math.max(1, Math.round(LEAST_WIDTH / Math.max(...panels.map(({ width }) => width)))),
  });
  const shape: FilmShape = { width: painter.width, height: painter.height, frames, rate };
  const { width, height } = shape;
  watch({ event: "start", title: source.title, from: source.from, frames, width, height, format });
  if (format === "apng" && request.format !== "apng") {
    watch({
      event: "warning",
      message: "ffmpeg isn't installed: the movie is an animated PNG, which browsers play. With ffmpeg it is an MP4.",
    });
  }
  removeDeadParts(dirname(resolve(out)));
  const sink = {
    png: () => new PngFolder(out, shape),
    mp4: () => new Film(out, shape, codec!),
    apng: () => new AnimatedPng(out, shape),
  }[format]();
  const abort = () => sink.abort();
  let painting = 0;
  process.once("exit", abort); // a second Ctrl-C
  try {
    for (let index = 0; index < frames; index++) {
      if (signal.aborted) {
        abort();
        return EXIT.interrupted;
      }
      const maps = await pictures.of(index);
      const began = performance.now();
      const shown = maps.map((map, i) => stripOf(map, panels[i].height));
      const { edges } = cores.length > 0 ? await source.levels(index) : { edges: [] };
      await sink.add(await painter.paint(shown, momentInTerminal(source.times[index], source.timeUnit), edges));
      painting += (performance.now() - began) / 1000;
      const done = index + 1;
      const remainingSeconds = pictures.secondsFor(index + 1) + (painting / done) * (frames - done);
      watch({ event: "frame", index, frames, fraction: done / frames, remainingSeconds });
    }
    const bytes = await sink.end();
    watch({ event: "end", file: out, bytes, frames, seconds: (performance.now() - since) / 1000 });
    return EXIT.success;
  } catch (cause) {
    abort();
    throw cause;
  } finally {
    process.off("exit", abort);
  }
}

/** Maps where the run has written some and the camera stands still, else the files with most times. */
async function sourceOf(request: MovieRequest, watch: (event: MovieEvent) => void): Promise<FrameSource> {
  const { folder, from = "auto", turn, elevation, still } = request;
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new GravmeshError(
      "usage",
      `${folder}: expected the result folder of a run, found ${existsSync(folder) ? "a file" : "nothing"}.`,
    );
  }
  const camera = turn !== undefined || elevation !== undefined || still !== undefined;
  const there = {
    maps: namesIn(folder).includes(MAPS_FILE),
    subsamples: particleFiles(folder, "subsamples").length > 0,
    snapshots: particleFiles(folder, "snapshots").length > 0,
  };
  if (from === "maps" && camera) {
    throw new GravmeshError(
      "usage",
      "--turn, --elevation and --still move the camera, which maps don't let: take --from snapshots.",
    );
  }
  const [chosen, other] = (["maps", "subsamples", "snapshots"] as const).filter(
    (kind) => there[kind] && (from === "auto" ? kind !== "maps" || !camera : kind === from),
  );
  if (chosen === "maps") {
    const maps = await mapFrames(folder, request, other === undefined);
    if (typeof maps !== "string") return maps;
    watch({ event: "warning", message: `${maps}. Until then the frames are made of the run's ${other}, one a file.` });
  }
  const particles = chosen === "maps" ? other : chosen;
  if (particles !== undefined && particles !== "maps") return particleFrames(folder, particles, request);
  const found = Object.entries(there).flatMap(([kind, is]) => (is ? [kind] : []));
  throw new GravmeshError(
    "usage",
    `${folder}: expected ${from === "auto" ? "maps, subsamples or snapshots of a run" : from}, found ${found.join(" and ") || "none of them"}. ` +
      "A run with output.frames=200 writes the maps of a movie.",
  );
}

const ENDINGS: Readonly<Record<string, MovieFormat | undefined>> = { ".mp4": "mp4", ".png": "apng", ".apng": "apng" };

function formatOf({ format: asked = "auto", out = "" }: MovieRequest) {
  const wanted: typeof asked = asked === "auto" ? (ENDINGS[extname(out).toLowerCase()] ?? asked) : asked;
  const codec = wanted === "auto" || wanted === "mp4" ? filmCodec() : undefined;
  if (wanted === "mp4" && codec === undefined) {
    throw new GravmeshError(
      "usage",
      "An MP4 needs ffmpeg, which isn't installed (or has no encoder for it). Install ffmpeg, or take --format apng.",
    );
  }
  const format: MovieFormat = wanted === "auto" ? (codec ? "mp4" : "apng") : wanted;
  return { format, codec };
}

/** Nothing that is there is overwritten unasked. */
function requireFree(out: string, format: MovieFormat, force: boolean): void {
  const frames = format === "png" ? namesIn(out).filter((name) => FRAME_NAME.test(name)) : [];
  for (const file of format === "png" ? frames.map((name) => join(out, name)) : [out])
    requireReplaceable(file, "usage");
  if (force || !(frames.length > 0 || (format !== "png" && existsSync(out)))) return;
  throw new GravmeshError(
    "usage",
    `${out} is there already. Nothing was changed. Choose another name with --out, or replace it with --force.`,
  );
}

/** The pictures of the frames, smoothed where particles are few; those of the overview are kept. */
class Pictures {
  readonly #kept = new Map<number, DensityPicture[]>();
  #keptBytes = 0;
  /** Made so far, and what it took [s]. */
  #made = 0;
  #seconds = 0;

  constructor(private readonly source: FrameSource) {}

  /** In the order of the panels. `keep`: they are wanted again. */
  async of(frame: number, keep = false): Promise<DensityPicture[]> {
    const kept = this.#kept.get(frame);
    if (kept) {
      this.#kept.delete(frame);
      return kept;
    }
    const began = performance.now();
    const { maps, panels } = this.source;
    const found = (await maps(frame)).map((map, i) => calm(densityMap(panels[i], map.values)));
    this.#seconds += (performance.now() - began) / 1000;
    this.#made++;
    const bytes = found.reduce((sum, { values }) => sum + 4 * values.length, 0);
    if (keep && this.#keptBytes + bytes <= MOST_KEPT) {
      this.#kept.set(frame, found);
      this.#keptBytes += bytes;
    }
    return found;
  }

  /** What the frames from `first` on should take that aren't made yet [s]. */
  secondsFor(first: number): number {
    const frames = this.source.times.length - first;
    return (this.#seconds / Math.max(1, this.#made)) * (frames - this.#kept.size);
  }
}

const densityMap = ({ width, height, span, quantum }: SourcePanel, values: ArrayLike<number>): DensityPicture => ({
  ...{ values: Float32Array.from(values), width, height, quantum },
  ...{ spanX: span, spanY: (span * height) / width },
});

/** One stretch for all frames, and how high the pictures from the side are: from some of the frames. */
async function overview(
  source: FrameSource,
  pictures: Pictures,
  decades: number | undefined,
  watch: (event: MovieEvent) => void,
  signal: AbortSignal,
): Promise<{ stretch: PictureStretch | undefined; panels: SourcePanel[] }> {
  const some = evenlyPicked([...source.times.keys()], LOOKED_AT);
  const seen: DensityPicture[][] = [];
  for (const [i, frame] of some.entries()) {
    if (signal.aborted) break;
    watch({ event: "activity", what: `looking at the densities of frame ${i + 1} of ${some.length}` });
    seen.push(await pictures.of(frame, true));
  }
  const rows = new Map<number, number>();
  for (const [i, { row, edgeOn }] of source.panels.entries()) {
    if (edgeOn) rows.set(row, Math.max(rows.get(row) ?? 0, stripRows(seen.map((maps) => maps[i]))));
  }
  return {
    stretch: commonStretch(seen.flat(), decades),
    panels: source.panels.map((panel) => ({ ...panel, height: rows.get(panel.row) ?? panel.height })),
  };
}
