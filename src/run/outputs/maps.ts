/** maps.hdf5: the projected density at times of its own, without particles. */
import { join } from "node:path";
import { unitSystem } from "../../deck/units.ts";
import { SeriesFile, type SeriesLayout } from "../../io/series-file.node.ts";
import { axesOf } from "../../particles/map-grid.ts";
import type { MapAxis } from "../../particles/reductions.ts";
import { mapRanges, mapViews } from "../../scenario/maps.ts";
import type { Simulation } from "../../simulation.ts";
import { version } from "../../version.ts";
import type { OutputRun, OutputWriter, RunMoment, RunOutput } from "./output.ts";

export const MAPS_FILE = "maps.hdf5";

export const maps: RunOutput = {
  name: "maps",
  meaning: "the projected density at maps.count times, for movies",
  files: [MAPS_FILE],
  has: ({ maps: { count } }) => count > 0,
  needs: () => [MAPS_FILE],
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
    this.#file = await SeriesFile.open(this.#path, layoutOf(this.run.simulation));
  }

  readonly at = { maps: (moment: RunMoment) => this.#write(moment) };

  async #write({ index }: RunMoment): Promise<void> {
    const { simulation } = this.run;
    const { scenario, components } = simulation;
    this.#file ??= await SeriesFile.create(this.#path, layoutOf(simulation));
    const area = (scenario.maps.span / scenario.maps.width) ** 2;
    const masses = await simulation.reductions().maps(mapViews(scenario), mapRanges(scenario.maps, components));
    const { axes } = scenario.maps;
    const densities = masses.map((map, i) => [nameOf(axes[i]), Float32Array.from(map, (mass) => mass / area)]);
    await this.#file.write(index, Object.fromEntries(densities));
  }
}

const nameOf = (axis: MapAxis) => `density_${axis}`;

function layoutOf({ scenario, outputs, components }: Simulation): SeriesLayout {
  const { maps: settings, box, units, title, time } = scenario;
  const { width, height, span } = settings;
  const { length, mass } = unitSystem(units.system).labels;
  const ranges = mapRanges(settings, components);
  const shown = components.filter(({ first }) => !ranges || ranges.some((range) => range.first === first));
  const tall = (span / width) * height;
  return {
    times: outputs.filter((output) => output.maps).map((output) => output.time),
    comoving: time.clock === "comoving",
    attributes: { title, gravmesh: version, units: units.system, BoxSize: box.size },
    series: mapViews(scenario).map(({ axis, centre }) => {
      const [right, up] = axesOf(axis);
      return {
        ...{ name: nameOf(axis), shape: [height, width], bits: 32 },
        attributes: {
          axis,
          ...{ right: "xyz"[right], up: "xyz"[up] },
          centre,
          span: [span, tall],
          // Left, right, bottom, top: what matplotlib's imshow takes with origin="upper".
          extent: [centre[right] - span / 2, centre[right] + span / 2, centre[up] - tall / 2, centre[up] + tall / 2],
          length_unit: length,
          unit: `${mass}/(${length})^2`,
          components: shown.map(({ name }) => name).join(", "),
        },
      };
    }),
  };
}
