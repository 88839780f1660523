/**
 * maps.hdf5: maps of a run at many times. The file has its whole size from the beginning, NaN where a map is still to come;
 * a map is then written in its place, and nothing else of the file changes. So it can be read at any time, a process that
 * dies in between leaves it whole, and the file of a resumed run is that of one which was never interrupted.
 */
import { existsSync } from "node:fs";
import { GravmeshError } from "../errors.ts";
import type { MapAxis } from "../particles/reductions.ts";
import { fileError, requireFreeSpace } from "./files.node.ts";
import {
  type AttributeValue,
  breathe,
  type Hdf5Dataset,
  type Hdf5File,
  hdf5Reason,
  loadHdf5,
  writeAttributes,
  writeHdf5,
} from "./hdf5.node.ts";

export interface MapFileLayout {
  /** [T] [time]; scale factors on the comoving clock. */
  times: readonly number[];
  /** With redshifts beside the times. */
  comoving: boolean;
  /** Pixels. */
  width: number;
  height: number;
  maps: readonly { axis: MapAxis; attributes: Readonly<Record<string, AttributeValue>> }[];
  /** Of the file. */
  attributes: Readonly<Record<string, AttributeValue>>;
}

/** Groups, attributes, and what the index of the maps takes, generously [B]. */
const HEADS = 64 * 1024;
const INDEX_OF_A_MAP = 256;

const nameOf = (axis: MapAxis) => `density_${axis}`;

export class MapFile {
  private constructor(
    private readonly path: string,
    private readonly layout: MapFileLayout,
  ) {}

  /** Makes the file. Throws "io" where there is no room for all of it. */
  static async create(path: string, layout: MapFileLayout): Promise<MapFile> {
    const { times, comoving, width, height, maps, attributes } = layout;
    const bytes = HEADS + maps.length * times.length * (4 * width * height + INDEX_OF_A_MAP);
    requireFreeSpace(path, bytes);
    const blank = new Float32Array(width * height).fill(Number.NaN);
    await writeHdf5([path], bytes, async (file) => {
      writeAttributes(file, attributes);
      const row = (name: string, values: Float64Array) =>
        file.create_dataset({ name, data: values, shape: [times.length], dtype: "<d" });
      row("Time", Float64Array.from(times));
      if (comoving)
        row(
          "Redshift",
          Float64Array.from(times, (a) => 1 / a - 1),
        );
      for (const { axis, attributes: own } of maps) {
        const dataset = file.create_dataset({
          ...{ name: nameOf(axis), dtype: "<f", data: new Float32Array(0), shape: [0, height, width] },
          ...{ maxshape: [times.length, height, width], chunks: [1, height, width] },
        });
        dataset.resize([times.length, height, width]);
        writeAttributes(dataset, own);
        for (let index = 0; index < times.length; index++) {
          dataset.write_slice(placeOf(index, layout), blank);
          if (index % 16 === 0) await breathe();
        }
      }
    });
    return new MapFile(path, layout);
  }

  /** Goes on with a file. Throws "input" where it isn't one of this layout. */
  static async open(path: string, layout: MapFileLayout): Promise<MapFile> {
    const file = new MapFile(path, layout);
    const shape = [layout.times.length, layout.height, layout.width].join(" × ");
    const wrong = await file.#with("input", (open) =>
      layout.maps.map(({ axis }) => shapeIn(open, nameOf(axis))).find((found) => found !== shape),
    );
    if (wrong === undefined) return file;
    throw new GravmeshError("input", `${path}: expected maps of ${shape}, found ${wrong || "none"}.`);
  }

  /** Puts the maps number `index` in their place, one for each axis [height·width each]. Throws "io". */
  async write(index: number, values: readonly Float32Array[]): Promise<void> {
    await this.#with("io", (file) => {
      for (const [i, { axis }] of this.layout.maps.entries()) {
        (file.get(nameOf(axis)) as Hdf5Dataset).write_slice(placeOf(index, this.layout), values[i]);
      }
      file.flush();
    });
  }

  async #with<T>(kind: "io" | "input", use: (file: Hdf5File) => T): Promise<T> {
    const { path } = this;
    if (!existsSync(path)) throw new GravmeshError(kind, `${path} is missing, which the run has begun.`);
    const hdf5 = await loadHdf5();
    let file: Hdf5File | undefined;
    try {
      file = new hdf5.File(path, "a");
      const result = use(file);
      const open = file;
      file = undefined;
      open.close();
      return result;
    } catch (cause) {
      try {
        file?.close();
      } catch {
        // The first error is the one to report.
      }
      const reason = hdf5Reason(cause);
      if (kind === "input") throw new GravmeshError("input", `${path} can't be gone on with: ${reason}`, { cause });
      throw fileError("write", path, new Error(reason, { cause }));
    }
  }
}

/** "" where there is no such dataset. */
function shapeIn(file: Hdf5File, name: string): string {
  const found = file.get(name);
  return found && "shape" in found ? (found.shape ?? []).join(" × ") : "";
}

const placeOf = (index: number, { width, height }: MapFileLayout): [number, number][] => [
  [index, index + 1],
  [0, height],
  [0, width],
];
