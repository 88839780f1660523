/** orbits.hdf5: where chosen particles are and how they move, at the start and after every orbits.every steps. */
import { join } from "node:path";
import { GravmeshError } from "../../base/errors.ts";
import { version } from "../../base/version.ts";
import { unitSystem } from "../../deck/units.ts";
import { type Series, SeriesFile, type SeriesLayout } from "../../io/series-file.node.ts";
import type { OrbitRow } from "../../particles/chosen.ts";
import { followedIds, hasOrbits } from "../../scenario/orbits.ts";
import type { Simulation } from "../../simulation/simulation.ts";
import type { OutputRun, OutputWriter, RunOutput } from "./output.ts";

const ORBITS_FILE = "orbits.hdf5";

export const orbits: RunOutput = {
  name: "orbits",
  meaning: "positions and velocities of orbits.ids, or of a sample, after every orbits.every steps",
  files: [ORBITS_FILE],
  has: hasOrbits,
  needs: () => [ORBITS_FILE],
  writer: (run) => new OrbitsWriter(run),
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

declare module "./output.ts" {
  interface Written {
    orbits?: OrbitPaths;
  }
}

class OrbitsWriter implements OutputWriter {
  readonly #path: string;
  readonly #ids: Uint32Array;
  readonly #rowBytes: number;
  #file: SeriesFile | undefined;
  #rows = 0;
  #waiting: Row[] = [];

  constructor(private readonly run: OutputRun) {
    const { scenario, components } = run.simulation;
    this.#path = join(run.folder, ORBITS_FILE);
    this.#ids = followedIds(scenario.orbits, components);
    this.#rowBytes = 48 * this.#ids.length;
  }

  /** Goes on behind the rows that the checkpoint knows: later ones belong to a part of the run that is lost. */
  async beforeSteps(): Promise<void> {
    const { simulation, kept } = this.run;
    const { rows = 0 } = (kept ?? {}) as { rows?: number };
    const file = await SeriesFile.open(this.#path, layoutOf(simulation, this.#ids));
    const ids = file.values("ParticleIDs");
    if (file.room < rows || ids.join() !== this.#ids.join()) {
      throw new GravmeshError(
        "input",
        `${this.#path}: expected ${rows} rows or more of ${this.#ids.length} particles, those of the run, found ${file.room} of ${ids.length}.`,
      );
    }
    [this.#file, this.#rows] = [file, rows];
    await this.#makeRoom(0);
    await this.#follow();
  }

  async atDiagnostics(): Promise<void> {
    const { simulation } = this.run;
    if (!this.#file) {
      const room = roomOf(simulation) ?? FIRST_ROOM;
      this.#file = await SeriesFile.create(this.#path, layoutOf(simulation, this.#ids), room);
      const { time, step } = simulation;
      this.#take({ time, step, ...(await simulation.chosen(this.#ids)) });
      await this.#follow();
    }
    await this.#flush();
  }

  beforeCheckpoint(): Promise<void> {
    return this.#flush();
  }

  keep(): unknown {
    return { rows: this.#rows };
  }

  async beforeStop(): Promise<void> {
    await this.#flush();
    const file = this.#file;
    if (!file) return;
    await this.#resize(this.#rows);
    const places = evenly(this.#ids.length, SHOWN);
    const { size, boundary } = this.run.simulation.scenario.box;
    const step = Math.max(1, Math.ceil(this.#rows / POINTS));
    const { Coordinates: x } = file.read(this.#rows, { step, names: ["Coordinates"] });
    const width = 3 * this.#ids.length;
    const wraps = boundary === "periodic" ? size / 2 : Number.POSITIVE_INFINITY;
    const paths = places.map((k) => {
      const path = Array.from({ length: x.length / width }, (_, row): Path[number] => {
        const at = width * row + 3 * k;
        return [x[at] - size / 2, x[at + 1] - size / 2, x[at + 2] - size / 2];
      });
      return cutAtJumps(path, wraps);
    });
    this.run.written.orbits = { ids: places.map((k) => this.#ids[k]), paths };
  }

  #follow(): Promise<void> {
    const { orbits } = this.run.simulation.scenario;
    return this.run.simulation.recordOrbits({
      ...{ ids: this.#ids, every: orbits.every },
      take: (row) => this.#take(row),
    });
  }

  #take(row: Row): void {
    const { time } = this.run.simulation.scenario;
    // Peculiar velocities: the state has p = a² dx/dt.
    const velocities = time.clock === "comoving" ? row.velocities.map((p) => p / row.time) : row.velocities;
    this.#waiting.push({ ...row, velocities });
    const roomy = this.#rows + this.#waiting.length <= this.#file!.room;
    if (roomy && this.#waiting.length * this.#rowBytes >= MOST_WAITING) this.#write();
  }

  #write(): void {
    const rows = this.#waiting;
    if (rows.length === 0) return;
    const width = 3 * this.#ids.length;
    const positions = new Float64Array(width * rows.length);
    const velocities = new (velocityBits(this.run.simulation) === 64 ? Float64Array : Float32Array)(positions.length);
    for (const [i, row] of rows.entries()) {
      positions.set(row.positions, i * width);
      velocities.set(row.velocities, i * width);
    }
    this.#file?.write(this.#rows, {
      Time: Float64Array.from(rows, ({ time }) => time),
      Step: Float64Array.from(rows, ({ step }) => step),
      ...{ Coordinates: positions, Velocities: velocities },
    });
    this.#rows += rows.length;
    this.#waiting = [];
  }

  async #flush(): Promise<void> {
    await this.#makeRoom(this.#waiting.length);
    this.#write();
  }

  /** For so many more rows, and all that are known to come. */
  async #makeRoom(more: number): Promise<void> {
    const room = this.#file?.room ?? Number.POSITIVE_INFINITY;
    const known = roomOf(this.run.simulation);
    const wanted = Math.max(this.#rows + more, known ?? 0);
    if (wanted > room) await this.#resize(known === undefined ? Math.max(2 * wanted, FIRST_ROOM) : wanted);
  }

  async #resize(room: number): Promise<void> {
    if (room !== this.#file?.room) await this.#file?.resize(room, this.#rows);
  }
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
