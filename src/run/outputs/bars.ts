/** bars.hdf5: a disk in rings, row by row; bars.csv: its bar, anew from all rows, which a pattern speed takes. */
import { join } from "node:path";
import { type BarProfile, barProfile, POLE_PROFILE, PROFILE } from "../../engine/diagnostics/bar-profile.ts";
import {
  BAR_COLUMNS,
  type BarMeasurement,
  type BarRow,
  barOf,
  barRows,
} from "../../engine/diagnostics/bar-strength.ts";
import { ringRadii } from "../../engine/diagnostics/disk-frequencies.ts";
import { version } from "../../foundation/base/version.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { axesAbout } from "../../physics/particles/harmonics.ts";
import type { IdRange, Vector } from "../../physics/particles/reductions.ts";
import { barEdges, barRanges, measuresBars, velocityViews } from "../../scenario/bars.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { csvText } from "../io/csv.ts";
import { writeFileAtomic } from "../io/files.node.ts";
import { type Series, SeriesFile, type SeriesLayout } from "../io/series-file.node.ts";
import type { OutputRun, OutputWriter, RunMoment, RunOutput } from "./output.ts";

const HDF5 = "bars.hdf5";
export const BARS_FILE = "bars.csv";
/** Rows of a run of which bars.csv is written with every row; of a longer one with every so many. */
const FEW_ROWS = 256;
const SOME_ROWS = 64;

export const bars: RunOutput<BarSeries> = {
  name: "bars",
  meaning:
    "Fourier amplitudes, pattern speed, Q and more of a disk in rings, at bars.count times, every bars.every steps or at bars.times",
  files: [HDF5, BARS_FILE],
  has: ({ bars }) => measuresBars(bars),
  needs: (reached) => (reached.some(({ bars }) => bars) ? [HDF5] : []),
  writer: barsWriter,
};

export interface BarSeries {
  rows: readonly BarRow[];
  /** [B + 1] [length] */
  edges: readonly number[];
  /** Of what the bar's phase is taken [length]. */
  within: number;
  shown: string;
  /** Of all rows, one after the other, by the names of PROFILE. */
  profiles: Readonly<Record<keyof BarProfile, Float64Array>>;
}

function barsWriter({ simulation, folder }: OutputRun): OutputWriter<BarSeries> {
  const { scenario, components, outputs } = simulation;
  const { bars: settings, units } = scenario;
  const { within } = settings;
  const edges = barEdges(settings);
  const rings = edges.length - 1;
  const ranges = barRanges(settings, components);
  const isShown = ({ first }: IdRange) => !ranges || ranges.some((range) => range.first === first);
  const shown = components
    .filter(isShown)
    .map(({ name }) => name)
    .join(", ");
  const path = join(folder, HDF5);
  const seen: { time: number; bar: BarMeasurement; omega: Float64Array }[] = [];
  /** Where the disk was last, and how it moved. */
  let last: { time: number; centre: Float64Array; velocity: Float64Array } | undefined;
  let file: SeriesFile | undefined;
  let rows: BarRow[] = [];

  const see = (time: number, profile: BarProfile): void => {
    seen.push({ time, bar: barOf(profile, edges, within), omega: Float64Array.from(profile.Omega) });
    const { centre, velocity } = profile;
    last = { time, centre: Float64Array.from(centre), velocity: Float64Array.from(velocity) };
  };

  const writeRows = (): BarRow[] => {
    const rows = barRows(seen, edges, settings.window);
    const heads = BAR_COLUMNS.map(({ name }) => name);
    const lines = rows.map((row) => heads.map((name) => row[name]));
    writeFileAtomic(join(folder, BARS_FILE), csvText(heads, lines));
    return rows;
  };

  const measure = async ({ index, time }: RunMoment): Promise<void> => {
    file ??= await SeriesFile.create(path, layoutOf(simulation, edges, shown));
    const { height, normal, multipoles } = settings;
    const about = last && { centre: movedTo(time, last), radius: within };
    const { G } = unitSystem(units.system);
    const particles = simulation.reductions();
    const profile = await barProfile(particles, { edges, height, normal, multipoles, G, about }, ranges);
    const velocity: Vector = [profile.velocity[0], profile.velocity[1], profile.velocity[2]];
    const views = velocityViews(scenario, [...profile.centre]);
    const maps = await particles.velocityMaps(views, velocity, ranges);
    const moving = maps.flatMap(({ mean, dispersion }, i) => [
      [`velocity_${views[i].axis}`, Float32Array.from(mean)],
      [`dispersion_${views[i].axis}`, Float32Array.from(dispersion)],
    ]);
    file.write(index, { ...profile, ...Object.fromEntries(moving) });
    see(time, profile);
    if (index < FEW_ROWS || index % SOME_ROWS === 0) writeRows();
  };

  return {
    at: { bars: measure },
    // Rows of earlier sessions, of which bars.csv needs the phases.
    beforeSteps: async () => {
      const times = outputs.slice(0, simulation.output + 1).flatMap(({ bars, time }) => (bars ? [time] : []));
      if (times.length === 0) return; // listed ones are still to come
      file = await SeriesFile.open(path, layoutOf(simulation, edges, shown));
      const profiles = file.read(times.length);
      const shapes = Object.entries(PROFILE).map(([name, { shape }]) => [name, sizeOf(shape(rings))] as const);
      for (const [row, time] of times.entries()) {
        const parts = shapes.map(([name, size]) => [name, profiles[name].subarray(row * size, (row + 1) * size)]);
        see(time, Object.fromEntries(parts) as BarProfile);
      }
    },
    beforeStop: () => {
      if (file) rows = writeRows();
    },
    summary: () => {
      if (!file) return undefined;
      return { rows, edges, within, shown, profiles: file.read(rows.length) as BarSeries["profiles"] };
    },
  };
}

function layoutOf({ scenario, outputs }: Simulation, edges: readonly number[], shown: string): SeriesLayout {
  const { bars: settings, box, units, title } = scenario;
  const { labels } = unitSystem(units.system);
  const rings = edges.length - 1;
  return {
    times: outputs.filter((output) => output.bars).map((output) => output.time),
    timeAttributes: { unit: labels.time },
    comoving: false,
    constants: Object.entries({ R_edges: edges, R: ringRadii(edges) }).map(([name, values]) => ({
      ...{ name, values: Float64Array.from(values), attributes: { unit: labels.length } },
    })),
    series: [
      ...quantities(PROFILE, rings, labels),
      ...(settings.multipoles ? quantities(POLE_PROFILE, rings, labels) : []),
      ...velocitySeries(scenario),
    ],
    attributes: {
      ...{ title, gravmesh: version, units: units.system, BoxSize: box.size },
      normal: settings.normal,
      zero_of_phase: axesAbout(settings.normal)[0],
      within: settings.within,
      components: shown,
    },
  };
}

function movedTo(time: number, last: { time: number; centre: Float64Array; velocity: Float64Array }): Vector {
  const [x, y, z] = last.centre.map((at, axis) => at + last.velocity[axis] * (time - last.time));
  return [x, y, z];
}

type Labels = ReturnType<typeof unitSystem>["labels"];

const sizeOf = (shape: readonly number[]) => shape.reduce((product, side) => product * side, 1);

/** "kpc", "1e10 Msun/(kpc)^2"; a number has none. */
function unitOf(unit: (typeof PROFILE)[keyof typeof PROFILE]["unit"], { length, mass, velocity, time }: Labels) {
  if (unit === "mass/length^2") return `${mass}/(${length})^2`;
  if (unit === "1/time") return `1/(${time})`;
  return { "": "", rad: "rad", length, mass, velocity }[unit];
}

function quantities(of: typeof PROFILE | typeof POLE_PROFILE, rings: number, labels: Labels): Series[] {
  return Object.entries(of).map(([name, { shape, unit, meaning }]) => ({
    ...{ name, shape: shape(rings), bits: 64 },
    attributes: { meaning, unit: unitOf(unit, labels) },
  }));
}

function velocitySeries(scenario: Scenario): Series[] {
  const { velocity } = unitSystem(scenario.units.system).labels;
  return velocityViews(scenario, [0, 0, 0]).flatMap(({ axis, span, width, height }) =>
    [`velocity_${axis}`, `dispersion_${axis}`].map((name) => ({
      ...{ name, shape: [height, width], bits: 32 as const },
      attributes: { axis, span, unit: velocity, meaning: "along the axis, about `centre`; rows from the top" },
    })),
  );
}
