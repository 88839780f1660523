/** maps.hdf5: the projected density at times of its own, without particles. */
import { join } from "node:path";
import { unitSystem } from "../../deck/units.ts";
import { densityCentre } from "../../diagnostics/density-centre.ts";
import { type GalaxyParticles, galaxiesOf } from "../../diagnostics/galaxies.ts";
import { GravmeshError } from "../../errors.ts";
import { type Series, SeriesFile, type SeriesLayout } from "../../io/series-file.node.ts";
import { axesOf } from "../../particles/map-grid.ts";
import type { MapAxis } from "../../particles/reductions.ts";
import { mapRanges, mapViews } from "../../scenario/maps.ts";
import type { Simulation } from "../../simulation.ts";
import { version } from "../../version.ts";
import type { OutputRun, OutputWriter, RunMoment, RunOutput } from "./output.ts";

export const MAPS_FILE = "maps.hdf5";

export const maps: RunOutput = {
  name: "maps",
  meaning: "the projected density at maps.count times or those of maps.times, for movies",
  files: [MAPS_FILE],
  has: ({ maps: { count, times } }) => count > 0 || times.length > 0,
  needs: (reached) => (reached.some(({ maps }) => maps) ? [MAPS_FILE] : []),
  writer: (run) => new MapsWriter(run),
};

class MapsWriter implements OutputWriter {
  readonly #path: string;
  #file: SeriesFile | undefined;

  constructor(private readonly run: OutputRun) {
    this.#path = join(run.folder, MAPS_FILE);
  }

  /** What is wrong with the file is known before the first step. */
  async beforeSteps(): Promise<void> {
    const { simulation } = this.run;
    const begun = simulation.outputs.slice(0, simulation.output + 1).some((output) => output.maps);
    if (begun) this.#file = await SeriesFile.open(this.#path, layoutOf(simulation));
  }

  readonly at = { maps: (moment: RunMoment) => this.#write(moment) };

  async #write({ index }: RunMoment): Promise<void> {
    const { simulation } = this.run;
    const { scenario, components } = simulation;
    this.#file ??= await SeriesFile.create(this.#path, layoutOf(simulation));
    const area = (scenario.maps.span / scenario.maps.width) ** 2;
    const reductions = simulation.reductions();
    const galaxy = followed(simulation);
    const centre = galaxy && (await densityCentre(reductions, galaxy.ranges)).centre;
    const masses = await reductions.maps(mapViews(scenario, centre), mapRanges(scenario.maps, components));
    const { axes } = scenario.maps;
    const densities = masses.map((map, i) => [nameOf(axes[i]), Float32Array.from(map, (mass) => mass / area)]);
    const place = centre ? [[CENTRE, Float64Array.from(centre)]] : [];
    await this.#file.write(index, Object.fromEntries([...densities, ...place]));
  }
}

/** Where the maps are, of those that follow a galaxy. */
const CENTRE = "Centre";

/** The galaxy that the maps follow, if they follow one. Throws "scenario" where no particle belongs to it. */
function followed({ scenario, components }: Simulation): GalaxyParticles | undefined {
  const { centre } = scenario.maps;
  if (typeof centre !== "string") return undefined;
  const galaxies = galaxiesOf(components);
  const found = galaxies.find(({ name }) => name === centre);
  if (found) return found;
  const names = galaxies.map(({ name }) => name).join(", ") || "there is none";
  throw new GravmeshError("scenario", `maps.centre: expected the name of a galaxy (${names}), found "${centre}"`);
}

const nameOf = (axis: MapAxis) => `density_${axis}`;

function layoutOf(simulation: Simulation): SeriesLayout {
  const { scenario, outputs, components } = simulation;
  const { maps: settings, box, units, title, time } = scenario;
  const { width, height, span } = settings;
  const { length, mass } = unitSystem(units.system).labels;
  const ranges = mapRanges(settings, components);
  const shown = components.filter(({ first }) => !ranges || ranges.some((range) => range.first === first));
  const tall = (span / width) * height;
  const follows = followed(simulation)?.name;
  const maps = mapViews(scenario, follows === undefined ? undefined : [0, 0, 0]).map(({ axis, centre }): Series => {
    const [right, up] = axesOf(axis);
    return {
      ...{ name: nameOf(axis), shape: [height, width], bits: 32 },
      attributes: {
        axis,
        ...{ right: "xyz"[right], up: "xyz"[up] },
        ...(follows === undefined ? { centre } : { follows }),
        span: [span, tall],
        // Left, right, bottom, top, from the galaxy that they follow: what matplotlib's imshow takes with origin="upper".
        extent: [centre[right] - span / 2, centre[right] + span / 2, centre[up] - tall / 2, centre[up] + tall / 2],
        length_unit: length,
        unit: `${mass}/(${length})^2`,
        components: shown.map(({ name }) => name).join(", "),
      },
    };
  });
  const place = (galaxy: string): Series => ({
    ...{ name: CENTRE, shape: [3], bits: 64 },
    attributes: { galaxy, unit: length },
  });
  return {
    times: outputs.filter((output) => output.maps).map((output) => output.time),
    comoving: time.clock === "comoving",
    attributes: { title, gravmesh: version, units: units.system, BoxSize: box.size },
    series: follows === undefined ? maps : [...maps, place(follows)],
  };
}
