/** The command `gravmesh movie` and its options. */
import { InvalidArgumentError, Option } from "commander";
import { FORMATS, MOVIE_SOURCES, VIEW_NAMES, type ViewName } from "../../studio/movie/frames.ts";
import { type Cli, commaSeparated, numberFrom, positiveOption, wholeNumber } from "./options.ts";

/** Views of a movie, each once. */
function viewNames(text: string): ViewName[] {
  const names = commaSeparated(text).map((name) => {
    const view = VIEW_NAMES.find((one) => one === name);
    if (view === undefined) throw new InvalidArgumentError(`expected some of ${VIEW_NAMES.join(", ")}.`);
    return view;
  });
  return [...new Set(names)];
}

export function addMovie(gravmesh: Cli): void {
  gravmesh
    .command("movie")
    .summary("make a movie of a run")
    .description(
      "Makes a movie of the run in a result folder: an MP4 where ffmpeg is installed, else an animated PNG. " +
        "Its frames are the maps that the run has written (output.frames, table maps), or its subsamples or snapshots, " +
        "seen by a camera that may turn. All frames have one scale of colours.",
    )
    .argument("<FOLDER>", "result folder of a run")
    .choice("--from", "source of the frames; auto: the first available of maps, subsamples, snapshots", MOVIE_SOURCES)
    .addOption(new Option("--views <name,…>", "rows of pictures: face-on, edge-on, side").argParser(viewNames))
    .addOption(new Option("--by <what>", "columns of pictures: one each").choices(["species", "component", "galaxy"]))
    .option(
      "--only <name,…>",
      "components, species or galaxies that are shown (default: as in the report)",
      commaSeparated,
    )
    .option("--turn <degrees>", "angle that the camera turns about the vertical", numberFrom(Number.NEGATIVE_INFINITY))
    .option("--elevation <degrees>", "height of the camera above the plane (default with --turn: 30)", numberFrom(-90))
    .option("--still <count>", "further frames of the last state, in which the camera keeps turning", wholeNumber)
    .option("--span <length>", "extent of a picture (default: as in the report)", positiveOption)
    .option("--pixels <count>", "of a picture's side (default: 600); of maps it is maps.width", wholeNumber)
    .option("--rate <frames>", "frames a second", positiveOption, 25)
    .option(
      "--decades <count>",
      "powers of ten from the darkest to the brightest colour (default: 2.75)",
      positiveOption,
    )
    .option("--no-cores", "don't draw the cores of levels as frames")
    .choice("--format", "of the movie; png: a folder of frames", FORMATS)
    .option("--out <file>", "file or folder (default: movie.mp4, movie.png or movie-frames in FOLDER)")
    .option("--force", "replace existing files")
    .option("--json", "events on stdout, one JSON object a line")
    .option("--quiet", "print warnings and errors only")
    .ending(
      [
        "gravmesh run disk output.frames=200",
        "gravmesh movie results/disk",
        "gravmesh movie results/disk --from snapshots --turn 360 --still 100 --by species",
      ],
      "Ctrl-C leaves nothing behind.",
    )
    .does(async () => (await import("./movie.ts")).movieCommand);
}
