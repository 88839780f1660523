/** orbits.hdf5: where chosen particles are and how they move, at the start and after every orbits.every steps. */
import { join } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { version } from "../../foundation/base/version.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import type { OrbitRow } from "../../physics/particles/chosen.ts";
import { followedIds, hasOrbits } from "../../scenario/orbits.ts";
import type { Simulation } from "../../scenario/simulation/simulation.ts";
import { type Series, SeriesFile, type SeriesLayout } from "../io/series-file.node.ts";
import type { OutputRun, OutputWriter, RunOutput } from "./output.ts";

const ORBITS_FILE = "orbits.hdf5";

export const orbits: RunOutput<OrbitPaths> = {
  name: "orbits",
  meaning: "positions and velocities of orbits.ids, or of a sample, after every orbits.every steps",
  files: [ORBITS_FILE],
  has: hasOrbits,
  needs: () => [ORBITS_FILE],
  writer: orbitsWriter,
};

/** Rows that wait to be written take no more than this, where the file has room for them [B]. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Room of a file of adaptive steps at first; it doubles [rows]. */
const FIRST_ROOM = 1024;
/** Chunk of the file [B]. */
const CHUNK_BYTES = 128 * 1024;
/** Orbits in the report, and points of each. */
const SHOWN = 6;
const POINTS = 1500;

type Row = OrbitRow & { time: number };

export interface OrbitPaths {
  ids: number[];
  /** From the centre of the box [orbit][point][3] [length]. */
  paths: [number, number, number][][];
}

function orbitsWriter({ simulation, folder, kept }: OutputRun): OutputWriter<OrbitPaths> {
  const { scenario, components } = simulation;
  const path = join(folder, ORBITS_FILE);
  const ids = followedIds(scenario.orbits, components);
  const width = 3 * ids.length;
  const rowBytes = 48 * ids.length;
  let file: SeriesFile | undefined;
  /** In the file, and those that wait to be written to it. */
  let rows = 0;
  let waiting: Row[] = [];

  const write = (): void => {
    if (waiting.length === 0) return;
    const positions = new Float64Array(width * waiting.length);
    const velocities = new (velocityBits(simulation) === 64 ? Float64Array : Float32Array)(positions.length);
    for (const [i, row] of waiting.entries()) {
      positions.set(row.positions, i * width);
      velocities.set(row.velocities, i * width);
    }
    file?.write(rows, {
      Time: Float64Array.from(waiting, ({ time }) => time),
      Step: Float64Array.from(waiting, ({ step }) => step),
      ...{ Coordinates: positions, Velocities: velocities },
    });
    rows += waiting.length;
    waiting = [];
  };

  const take = (row: Row): void => {
    // Peculiar velocities: the state has p = a² dx/dt.
    const comoving = scenario.time.clock === "comoving";
    waiting.push({ ...row, velocities: comoving ? row.velocities.map((p) => p / row.time) : row.velocities });
    const roomy = rows + waiting.length <= file!.room;
    if (roomy && waiting.length * rowBytes >= MOST_WAITING) write();
  };

  const follow = () => simulation.recordOrbits({ ids, every: scenario.orbits.every, take });

  const resize = async (room: number): Promise<void> => {
    if (room !== file?.room) await file?.resize(room, rows);
  };

  /** For so many more rows, and all that are known to come. */
  const makeRoom = async (more: number): Promise<void> => {
    const room = file?.room ?? Number.POSITIVE_INFINITY;
    const known = roomOf(simulation);
    const wanted = Math.max(rows + more, known ?? 0);
    if (wanted > room) await resize(known === undefined ? Math.max(2 * wanted, FIRST_ROOM) : wanted);
  };

  const flush = async (): Promise<void> => {
    await makeRoom(waiting.length);
    write();
  };

  return {
    // Goes on behind the rows that the checkpoint knows: later ones belong to a part of the run that is lost.
    beforeSteps: async () => {
      const { rows: known = 0 } = (kept ?? {}) as { rows?: number };
      const found = await SeriesFile.open(path, layoutOf(simulation, ids));
      const own = found.values("ParticleIDs");
      if (found.room < known || own.join() !== ids.join()) {
        throw new GravmeshError(
          "input",
          `${path}: expected ${known} rows or more of ${ids.length} particles, those of the run, found ${found.room} of ${own.length}.`,
        );
      }
      [file, rows] = [found, known];
      await makeRoom(0);
      await follow();
    },
    atDiagnostics: async () => {
      if (!file) {
        file = await SeriesFile.create(path, layoutOf(simulation, ids), roomOf(simulation) ?? FIRST_ROOM);
        const { time, step } = simulation;
        take({ time, step, ...(await simulation.chosen(ids)) });
        await follow();
      }
      await flush();
    },
    beforeCheckpoint: flush,
    keep: () => ({ rows }),
    beforeStop: async () => {
      await flush();
      await resize(rows);
    },
    summary: () => {
      if (!file) return undefined;
      const places = evenly(ids.length, SHOWN);
      const { size, boundary } = scenario.box;
      const step = Math.max(1, Math.ceil(rows / POINTS));
      const { Coordinates: x } = file.read(rows, { step, names: ["Coordinates"] });
      const wraps = boundary === "periodic" ? size / 2 : Number.POSITIVE_INFINITY;
      const paths = places.map((k) => {
        const points = Array.from({ length: x.length / width }, (_, row): Path[number] => {
          const at = width * row + 3 * k;
          return [x[at] - size / 2, x[at + 1] - size / 2, x[at + 2] - size / 2];
        });
        return cutAtJumps(points, wraps);
      });
      return { ids: places.map((k) => ids[k]), paths };
    },
  };
}

type Path = OrbitPaths["paths"][number];

/** A path with a gap wherever it jumps further than `most` [length]. */
function cutAtJumps(path: Path, most: number): Path {
  return path.flatMap((x, i) => {
    const jumps = i > 0 && x.some((value, axis) => Math.abs(value - path[i - 1][axis]) > most);
    return jumps ? [[Number.NaN, Number.NaN, Number.NaN], x] : [x];
  });
}

/** Rows of a whole run; undefined where its steps aren't known. */
function roomOf({ schedule, scenario }: Simulation): number | undefined {
  return schedule.totalSteps === undefined ? undefined : Math.floor(schedule.totalSteps / scenario.orbits.every) + 1;
}

/** At most `most` places of `count`, evenly. */
function evenly(count: number, most: number): number[] {
  const n = Math.min(count, most);
  return Array.from({ length: n }, (_, i) => (n === 1 ? 0 : Math.round((i * (count - 1)) / (n - 1))));
}

const velocityBits = ({ scenario }: Simulation) => (scenario.gravity === "direct" ? 64 : 32);

function layoutOf(simulation: Simulation, ids: Uint32Array): SeriesLayout {
  const { units, box, title, time, orbits: settings } = simulation.scenario;
  const { length, velocity, time: second } = unitSystem(units.system).labels;
  const comoving = time.clock === "comoving";
  const of = (id: number) =>
    simulation.components.find(({ first, count }) => id >= first && id < first + count)?.name ?? "";
  const components = [...new Set(Array.from(ids, of))].join(", ");
  const shape = [ids.length, 3];
  const moving: Series["attributes"] = {
    unit: velocity,
    meaning: comoving ? "peculiar" : "at the time of the positions",
  };
  return {
    constants: [{ name: "ParticleIDs", values: ids, attributes: { components } }],
    series: [
      { name: "Time", shape: [], bits: 64, attributes: { unit: comoving ? "scale factor" : second } },
      { name: "Step", shape: [], bits: 64, attributes: {} },
      { name: "Coordinates", shape, bits: 64, attributes: { unit: comoving ? `comoving ${length}` : length } },
      { name: "Velocities", shape, bits: velocityBits(simulation), attributes: moving },
    ],
    attributes: { title, gravmesh: version, units: units.system, BoxSize: box.size, every: settings.every },
    chunkBytes: CHUNK_BYTES,
  };
}
