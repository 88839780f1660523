/** maps.hdf5, a file of projected densities at many times (series-file.node.ts writes it): names in it, and reading it. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { type UnitSystemName, unitSystems } from "../../foundation/deck/units.ts";
import type { LevelCore } from "../../physics/particles/level-core.ts";
import type { MapAxis } from "../../physics/particles/reductions.ts";
import { datasetIn, type Hdf5Dataset, type Hdf5File, hdf5Reason, loadHdf5, rowRanges } from "./hdf5.node.ts";
import { alone } from "./hdf5-guard.node.ts";
import { withRegularFile } from "./regular-file.node.ts";

export interface ReadMap {
  axis: MapAxis;
  /** The species, component or galaxy that it shows, where there are several maps of a view. */
  group: string | undefined;
  column: number;
  components: string;
  /** [length] */
  span: number;
  /** The mean mass of a particle [mass]; 0 where the file doesn't say. */
  particleMass: number;
}

export interface ReadMaps {
  title: string;
  system: UnitSystemName;
  comoving: boolean;
  /** As maps.by: "all", "species", "component" or "galaxy". */
  by: string;
  /** Times of the maps that are written [time]. */
  times: number[];
  width: number;
  height: number;
  maps: ReadMap[];
  /** These maps of one time [height·width each, rows from the top]. Throws "input". */
  read(index: number, maps: readonly ReadMap[]): Promise<Float32Array[]>;
  /** Where the levels were then, what these maps were about, and the side of a periodic box [length]. Throws "input". */
  levels(index: number, maps: readonly ReadMap[]): Promise<ReadLevels>;
}

export interface ReadLevels {
  cores: LevelCore[];
  centres: number[][];
  period: number | undefined;
}

/** Series of maps: what those were about that follow a galaxy [3], and the levels' centres [levels × 3]. */
export const CENTRE = "Centre";
export const LEVEL_CENTRES = "LevelCentres";

export const mapName = ({ axis, group }: Pick<ReadMap, "axis" | "group">) =>
  group === undefined ? `density_${axis}` : `density_${axis} ${group.replaceAll("/", "∕")}`; // a slash would be a folder

const NAME = /^density_([xyz])(?: (.+))?$/;

/** Throws "input" for what is no such file. */
export async function readMapFile(path: string): Promise<ReadMaps> {
  withRegularFile(path, { what: "The file of maps" }, () => {});
  return withFile(path, (file) => {
    const datasets = new Map(file.keys().flatMap((name) => (NAME.test(name) ? [[name, datasetOf(file, name)]] : [])));
    const times = numbersOf(datasetOf(file, "Time"));
    const [first] = datasets.values();
    const [count, height, width] = first?.shape ?? [];
    const system = unitSystems.find(({ name }) => name === textOf(file, "units"))?.name;
    if (!first || count !== times.length || !system) throw new Error("it has no maps with times and units");
    // A map that is still to come is NaN throughout.
    const written = times.filter((_, i) => !Number.isNaN(valuesOf(first, i, { width: 1, height: 1 })[0]));
    const maps = [...datasets].map(([name, dataset]): ReadMap => {
      const [, axis, group] = NAME.exec(name)!;
      const [span] = numbersOf(dataset, "span");
      const orNone = (attribute: string) => (attribute in dataset.attrs ? numbersOf(dataset, attribute)[0] : 0);
      const [column, particleMass] = [orNone("column"), orNone("particle_mass")];
      const components = textOf(dataset, "components");
      return { axis: axis as MapAxis, group, column, components, span, particleMass };
    });
    return {
      ...{ title: textOf(file, "title"), by: textOf(file, "by"), system, comoving: file.keys().includes("Redshift") },
      ...{ times: written, width, height },
      maps,
      read: (index, shown) =>
        withFile(path, (open) => shown.map((map) => valuesOf(datasetOf(open, mapName(map)), index, { width, height }))),
      levels: (index, shown) => withFile(path, (open) => levelsIn(open, index, shown)),
    };
  });
}

function levelsIn(file: Hdf5File, index: number, maps: readonly ReadMap[]): ReadLevels {
  const dataset = datasetIn(file, LEVEL_CENTRES);
  if (!dataset) return { cores: [], centres: maps.map(() => []), period: undefined };
  const [h, halfWidth, [period]] = ["h", "half_width", "period"].map((name) => numbersOf(dataset, name));
  const row = (of: Hdf5Dataset) => Array.from(of.slice([[index, index + 1]]) as ArrayLike<number>, Number);
  const places = row(dataset);
  const cores = h.map((side, l): LevelCore => {
    return { name: `level ${l + 1}`, h: side, halfWidth: halfWidth[l], centre: places.slice(3 * l, 3 * l + 3) };
  });
  const about = datasetIn(file, CENTRE);
  return {
    cores: cores.filter(({ centre }) => centre.every(Number.isFinite)),
    centres: maps.map((map) => (about ? row(about) : numbersOf(datasetOf(file, mapName(map)), "centre"))),
    period: period > 0 ? period : undefined,
  };
}

async function withFile<T>(path: string, use: (file: Hdf5File) => T): Promise<T> {
  const hdf5 = await loadHdf5();
  let file: Hdf5File | undefined;
  try {
    const open = new hdf5.File(path, "r");
    file = open;
    return alone(hdf5, () => use(open));
  } catch (cause) {
    if (cause instanceof GravmeshError) throw cause;
    const message = `${path} is no file of maps that gravmesh has written: ${hdf5Reason(cause)}.`;
    throw new GravmeshError("input", message, { cause });
  } finally {
    file?.close();
  }
}

function datasetOf(file: Hdf5File, name: string): Hdf5Dataset {
  const found = datasetIn(file, name);
  if (!found) throw new Error(`it has no dataset ${name}`);
  return found;
}

/** All numbers of a dataset, or of one of its attributes. */
function numbersOf(dataset: Hdf5Dataset, attribute?: string): number[] {
  const value: unknown = attribute === undefined ? dataset.value : dataset.attrs[attribute]?.value;
  const numbers = typeof value === "number" ? [value] : Array.from(value as ArrayLike<number>, Number);
  if (numbers.length === 0 || !numbers.every(Number.isFinite)) {
    throw new Error(`${dataset.path}${attribute === undefined ? "" : ` ${attribute}`} has no numbers`);
  }
  return numbers;
}

function textOf({ attrs }: Pick<Hdf5File | Hdf5Dataset, "attrs">, name: string): string {
  const value = attrs[name]?.value;
  if (typeof value !== "string") throw new Error(`its attribute ${name} is missing`);
  return value;
}

/** The upper left corner of a map, of that size [height·width]. */
function valuesOf(dataset: Hdf5Dataset, index: number, { width, height }: { width: number; height: number }) {
  const values = dataset.slice(rowRanges(index, index + 1, [height, width]));
  if (values instanceof Float32Array) return values;
  throw new Error(`${dataset.path} has no float32 maps`);
}
