/** maps.hdf5: the projected density at times of its own, without particles. */
import { join } from "node:path";
import { densityCentre } from "../../engine/diagnostics/density-centre.ts";
import { type GalaxyParticles, galaxiesOf } from "../../engine/diagnostics/galaxies.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { version } from "../../foundation/base/version.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { axesOf } from "../../physics/particles/map-grid.ts";
import type { IdRange, MapView } from "../../physics/particles/reductions.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import { levelSizes } from "../../scenario/level-sizes.ts";
import { mapGroups, mapViews } from "../../scenario/maps.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { CENTRE, LEVEL_CENTRES, mapName } from "../io/map-file.node.ts";
import { type Series, SeriesFile, type SeriesLayout } from "../io/series-file.node.ts";
import type { OutputRun, OutputWriter, RunMoment, RunOutput } from "./output.ts";

export const MAPS_FILE = "maps.hdf5";

export const maps: RunOutput = {
  name: "maps",
  meaning: "the projected density at maps.count times or those of maps.times, for movies",
  files: [MAPS_FILE],
  has: ({ maps: { count, times } }) => count > 0 || times.length > 0,
  needs: (reached) => (reached.some(({ maps }) => maps) ? [MAPS_FILE] : []),
  writer: mapsWriter,
};

function mapsWriter({ simulation, folder }: OutputRun): OutputWriter {
  const path = join(folder, MAPS_FILE);
  const { scenario, components, outputs } = simulation;
  let file: SeriesFile | undefined;
  const write = async ({ index }: RunMoment): Promise<void> => {
    file ??= await SeriesFile.create(path, layoutOf(simulation));
    const area = (scenario.maps.span / scenario.maps.width) ** 2;
    const reductions = simulation.reductions();
    const galaxy = followed(simulation);
    const centre = galaxy && (await densityCentre(reductions, galaxy.ranges)).centre;
    const views = mapViews(scenario, centre);
    const rows: Record<string, Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>> = {};
    for (const { name: group, ranges } of groupsOf(scenario, components)) {
      const byNumber = tracersOf(simulation, ranges);
      const masses = await (group === PHANTOM
        ? phantomMaps(simulation, views)
        : (byNumber ? simulation.numbers(byNumber) : reductions).maps(views, ranges));
      for (const [i, { axis }] of views.entries()) {
        rows[mapName({ axis, group })] = Float32Array.from(masses[i], (mass) => mass / area);
      }
    }
    if (centre) rows[CENTRE] = Float64Array.from(centre);
    if (scenario.level.length > 0) rows[LEVEL_CENTRES] = await centresOfLevels(simulation);
    file.write(index, rows);
  };
  return {
    // What is wrong with the file is known before the first step.
    beforeSteps: async () => {
      const begun = outputs.slice(0, simulation.output + 1).some((output) => output.maps);
      if (begun) file = await SeriesFile.open(path, layoutOf(simulation));
    },
    at: { maps: write },
  };
}

/** What maps of phantom matter are of. */
const PHANTOM = "phantom matter";

async function phantomMaps(simulation: Simulation, views: readonly MapView[]): Promise<Float64Array[]> {
  const phantom = await simulation.phantomMatter();
  return views.map((view) => phantom?.map(view) ?? new Float64Array(view.width * view.height));
}

/** The maps of each view. */
const groupsOf = ({ maps: settings }: Scenario, components: readonly ComponentRange[]) => [
  ...mapGroups(settings, components),
  ...(settings.phantom ? [{ name: PHANTOM, components: [PHANTOM], ranges: [] }] : []),
];

/** NaN where there are none, since nothing has mass. */
async function centresOfLevels(simulation: Simulation): Promise<Float64Array<ArrayBuffer>> {
  const centres = new Float64Array(3 * simulation.scenario.level.length).fill(Number.NaN);
  centres.set((await simulation.levelCores()).flatMap(({ centre }) => centre));
  return centres;
}

/** The galaxy that the maps follow, if any. Throws "scenario" where no particle belongs to it. */
function followed({ scenario, components }: Simulation): GalaxyParticles | undefined {
  const { centre } = scenario.maps;
  if (typeof centre !== "string") return undefined;
  const galaxies = galaxiesOf(components);
  const found = galaxies.find(({ name }) => name === centre);
  if (found) return found;
  const names = galaxies.map(({ name }) => name).join(", ") || "there is none";
  throw new GravmeshError("scenario", `maps.centre: expected the name of a galaxy (${names}), found "${centre}"`);
}

function layoutOf(simulation: Simulation): SeriesLayout {
  const { scenario, outputs, components, masses } = simulation;
  const { maps: settings, box, units, title, time } = scenario;
  const { width, height, span } = settings;
  const { length, mass } = unitSystem(units.system).labels;
  const tall = (span / width) * height;
  const follows = followed(simulation)?.name;
  const views = mapViews(scenario, follows === undefined ? undefined : [0, 0, 0]);
  const maps = groupsOf(scenario, components).flatMap((group, column) =>
    views.map(({ axis, centre }): Series => {
      const [right, up] = axesOf(axis);
      return {
        ...{ name: mapName({ axis, group: group.name }), shape: [height, width], bits: 32 },
        attributes: {
          axis,
          ...{ right: "xyz"[right], up: "xyz"[up] },
          ...(follows === undefined ? { centre } : { follows }),
          span: [span, tall],
          // Left, right, bottom, top, from the galaxy that they follow: what matplotlib's imshow takes with origin="upper".
          extent: [centre[right] - span / 2, centre[right] + span / 2, centre[up] - tall / 2, centre[up] + tall / 2],
          length_unit: length,
          unit: tracersOf(simulation, group.ranges) ? `1/(${length})^2` : `${mass}/(${length})^2`,
          components: group.components.join(", "),
          column,
          particle_mass: meanWeight(simulation, group.ranges ?? [{ first: 0, count: masses.count }]),
        },
      };
    }),
  );
  if (follows) maps.push({ name: CENTRE, shape: [3], bits: 64, attributes: { galaxy: follows, unit: length } });
  if (scenario.level.length > 0) {
    const sizes = levelSizes(scenario);
    const levels = { names: sizes.map(({ name }) => name).join(", "), h: sizes.map(({ h }) => h) };
    const about = { half_width: sizes.map(({ core }) => core), period: box.boundary === "periodic" ? box.size : 0 };
    const attributes = { ...levels, ...about, unit: length };
    maps.push({ name: LEVEL_CENTRES, shape: [sizes.length, 3], bits: 64, attributes });
  }
  return {
    times: outputs.filter((output) => output.maps).map((output) => output.time),
    comoving: time.clock === "comoving",
    attributes: { title, gravmesh: version, units: units.system, BoxSize: box.size, by: settings.by },
    series: maps,
  };
}

const countOf = (ranges: readonly IdRange[]) => ranges.reduce((sum, range) => sum + range.count, 0);

/** The ranges of a map that shows tracers alone, which is of their number; undefined where anything in it has mass. */
function tracersOf({ masses, weights }: Simulation, ranges?: readonly IdRange[]): readonly IdRange[] | undefined {
  // Of a run without any mass all that is weighed is a number already.
  if (!ranges || weights !== masses || countOf(ranges) === 0) return undefined;
  return ranges.every((range) => masses.within(range) === 0) ? ranges : undefined;
}

/** Of the particles of these ranges [mass], or 1/N of tracers. */
function meanWeight(simulation: Simulation, ranges: readonly IdRange[]): number {
  const count = Math.max(1, countOf(ranges));
  if (tracersOf(simulation, ranges)) return 1 / count;
  return ranges.reduce((sum, range) => sum + simulation.weights.within(range), 0) / count;
}
