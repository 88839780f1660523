/** bars.hdf5: a disk in rings, row by row; bars.csv: its bar, anew from all rows, which a pattern speed takes. */
import { join } from "node:path";
import { version } from "../../base/version.ts";
import { unitSystem } from "../../deck/units.ts";
import { type BarProfile, barProfile, POLE_PROFILE, PROFILE } from "../../diagnostics/bar-profile.ts";
import { BAR_COLUMNS, type Bar, type BarRow, barOf, barRows } from "../../diagnostics/bar-strength.ts";
import { ringRadii } from "../../diagnostics/disk-frequencies.ts";
import { csvText } from "../../io/csv.ts";
import { writeFileAtomic } from "../../io/files.node.ts";
import { type Series, SeriesFile, type SeriesLayout } from "../../io/series-file.node.ts";
import { frameOf } from "../../particles/harmonics.ts";
import type { IdRange, Vector } from "../../particles/reductions.ts";
import { barEdges, barRanges, measuresBars, velocityViews } from "../../scenario/bars.ts";
import type { Simulation } from "../../simulation/simulation.ts";
import type { OutputRun, OutputWriter, RunMoment, RunOutput } from "./output.ts";

const HDF5 = "bars.hdf5";
export const BARS_FILE = "bars.csv";
/** Rows of a run of which bars.csv is written with every row; of a longer one with every so many. */
const FEW_ROWS = 256;
const SOME_ROWS = 64;

export const bars: RunOutput = {
  name: "bars",
  meaning:
    "Fourier amplitudes, pattern speed, Q and more of a disk in rings, at bars.count times, every bars.every steps or at bars.times",
  files: [HDF5, BARS_FILE],
  has: ({ bars }) => measuresBars(bars),
  needs: (reached) => (reached.some(({ bars }) => bars) ? [HDF5] : []),
  writer: (run) => new BarsWriter(run),
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

declare module "./output.ts" {
  interface Written {
    bars?: BarSeries;
  }
}

class BarsWriter implements OutputWriter {
  readonly #edges: readonly number[];
  readonly #ranges: readonly IdRange[] | undefined;
  readonly #seen: { time: number; bar: Bar; omega: Float64Array }[] = [];
  /** Where the disk was last, and how it moved. */
  #last: { time: number; centre: Float64Array; velocity: Float64Array } | undefined;
  #file: SeriesFile | undefined;

  readonly at = { bars: (moment: RunMoment) => this.#measure(moment) };

  constructor(private readonly run: OutputRun) {
    const { scenario, components } = run.simulation;
    this.#edges = barEdges(scenario.bars);
    this.#ranges = barRanges(scenario.bars, components);
  }

  /** Rows of earlier sessions, of which bars.csv needs the phases. */
  async beforeSteps(): Promise<void> {
    const { outputs, output } = this.run.simulation;
    const times = outputs.slice(0, output + 1).flatMap(({ bars, time }) => (bars ? [time] : []));
    if (times.length === 0) return; // listed ones are still to come
    this.#file = await SeriesFile.open(join(this.run.folder, HDF5), this.#layout());
    const profiles = this.#file.read(times.length);
    const shapes = Object.entries(PROFILE).map(([name, { shape }]) => [name, sizeOf(shape(this.#rings))] as const);
    for (const [row, time] of times.entries()) {
      const parts = shapes.map(([name, size]) => [name, profiles[name].subarray(row * size, (row + 1) * size)]);
      this.#see(time, Object.fromEntries(parts) as BarProfile);
    }
  }

  async beforeStop(): Promise<void> {
    if (!this.#file) return;
    const rows = this.#writeRows();
    const profiles = this.#file.read(rows.length) as BarSeries["profiles"];
    const { within } = this.run.simulation.scenario.bars;
    this.run.written.bars = { rows, edges: this.#edges, within, shown: this.#shown(), profiles };
  }

  get #rings(): number {
    return this.#edges.length - 1;
  }

  async #measure({ index, time }: RunMoment): Promise<void> {
    const { simulation } = this.run;
    const { bars: settings, units } = simulation.scenario;
    this.#file ??= await SeriesFile.create(join(this.run.folder, HDF5), this.#layout());
    const { height, normal, multipoles } = settings;
    const about = this.#last && { centre: movedTo(time, this.#last), radius: settings.within };
    const { G } = unitSystem(units.system);
    const particles = simulation.reductions();
    const request = { edges: this.#edges, height, normal, multipoles, G, about };
    const profile = await barProfile(particles, request, this.#ranges);
    const velocity: Vector = [profile.velocity[0], profile.velocity[1], profile.velocity[2]];
    const views = velocityViews(simulation.scenario, [...profile.centre]);
    const maps = await particles.velocityMaps(views, velocity, this.#ranges);
    const seen = maps.flatMap(({ mean, dispersion }, i) => [
      [`velocity_${views[i].axis}`, Float32Array.from(mean)],
      [`dispersion_${views[i].axis}`, Float32Array.from(dispersion)],
    ]);
    this.#file.write(index, { ...profile, ...Object.fromEntries(seen) });
    this.#see(time, profile);
    if (index < FEW_ROWS || index % SOME_ROWS === 0) this.#writeRows();
  }

  #see(time: number, profile: BarProfile): void {
    const bar = barOf(profile, this.#edges, this.run.simulation.scenario.bars.within);
    this.#seen.push({ time, bar, omega: Float64Array.from(profile.Omega) });
    const { centre, velocity } = profile;
    this.#last = { time, centre: Float64Array.from(centre), velocity: Float64Array.from(velocity) };
  }

  #writeRows(): BarRow[] {
    const rows = barRows(this.#seen, this.#edges, this.run.simulation.scenario.bars.window);
    const heads = BAR_COLUMNS.map(({ name }) => name);
    const lines = rows.map((row) => heads.map((name) => row[name]));
    writeFileAtomic(join(this.run.folder, BARS_FILE), csvText(heads, lines));
    return rows;
  }

  #shown(): string {
    const ranges = this.#ranges;
    const isShown = ({ first }: IdRange) => !ranges || ranges.some((range) => range.first === first);
    const shown = this.run.simulation.components.filter(isShown);
    return shown.map(({ name }) => name).join(", ");
  }

  #layout(): SeriesLayout {
    const { scenario, outputs } = this.run.simulation;
    const { bars: settings, box, units, title } = scenario;
    const { labels } = unitSystem(units.system);
    const edges = this.#edges;
    return {
      times: outputs.filter((output) => output.bars).map((output) => output.time),
      timeAttributes: { unit: labels.time },
      comoving: false,
      constants: Object.entries({ R_edges: edges, R: ringRadii(edges) }).map(([name, values]) => ({
        ...{ name, values: Float64Array.from(values), attributes: { unit: labels.length } },
      })),
      series: [
        ...quantities(PROFILE, this.#rings, labels),
        ...(settings.multipoles ? quantities(POLE_PROFILE, this.#rings, labels) : []),
        ...velocitySeries(this.run.simulation),
      ],
      attributes: {
        ...{ title, gravmesh: version, units: units.system, BoxSize: box.size },
        normal: settings.normal,
        zero_of_phase: frameOf(settings.normal)[0],
        within: settings.within,
        components: this.#shown(),
      },
    };
  }
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

function velocitySeries({ scenario }: Simulation): Series[] {
  const { velocity } = unitSystem(scenario.units.system).labels;
  return velocityViews(scenario, [0, 0, 0]).flatMap(({ axis, span, width, height }) =>
    [`velocity_${axis}`, `dispersion_${axis}`].map((name) => ({
      ...{ name, shape: [height, width], bits: 32 as const },
      attributes: { axis, span, unit: velocity, meaning: "along the axis, about `centre`; rows from the top" },
    })),
  );
}
