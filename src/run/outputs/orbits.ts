/** orbits.hdf5: where chosen particles are and how they move, at the start and after every orbits.every steps. */
import { join } from "node:path";
import { version } from "../../base/version.ts";
import { unitSystem } from "../../deck/units.ts";
import { OrbitFile, type OrbitFileRow, type OrbitLayout } from "../../io/orbit-file.node.ts";
import { followedIds, hasOrbits } from "../../scenario/orbits.ts";
import type { Simulation } from "../../simulation/simulation.ts";
import type { OutputRun, OutputWriter, RunOutput } from "./output.ts";

export const ORBITS_FILE = "orbits.hdf5";

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
/** Orbits in the report, and points of each. */
const SHOWN = 6;
const POINTS = 1500;

/** Orbits for the report. */
export interface OrbitPaths {
  ids: number[];
  /** Of each from the centre of the box [points][3] [length]. */
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
  #file: OrbitFile | undefined;
  #waiting: OrbitFileRow[] = [];

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
    this.#file = await OrbitFile.open(this.#path, layoutOf(simulation, this.#ids), rows);
    await this.#makeRoom(0);
    await this.#follow();
  }

  /** The start is the first of them. */
  async atDiagnostics(): Promise<void> {
    const { simulation } = this.run;
    if (!this.#file) {
      const room = roomOf(simulation) ?? FIRST_ROOM;
      this.#file = await OrbitFile.create(this.#path, layoutOf(simulation, this.#ids), room);
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
    return { rows: this.#file?.rows ?? 0 };
  }

  async beforeStop(): Promise<void> {
    await this.#flush();
    const file = this.#file;
    if (!file) return;
    await file.resize(file.rows);
    const places = evenly(this.#ids.length, SHOWN);
    const { size, boundary } = this.run.simulation.scenario.box;
    const rows = file.paths(places, Math.max(1, Math.ceil(file.rows / POINTS)));
    const paths = places.map((_, k) =>
      rows.map((row): [number, number, number] => [
        row[3 * k] - size / 2,
        row[3 * k + 1] - size / 2,
        row[3 * k + 2] - size / 2,
      ]),
    );
    const wraps = boundary === "periodic" ? size / 2 : Number.POSITIVE_INFINITY;
    this.run.written.orbits = {
      ids: places.map((k) => this.#ids[k]),
      paths: paths.map((path) => cutAtJumps(path, wraps)),
    };
  }

  #follow(): Promise<void> {
    const { orbits } = this.run.simulation.scenario;
    return this.run.simulation.recordOrbits({
      ...{ ids: this.#ids, every: orbits.every },
      take: (row) => this.#take(row),
    });
  }

  #take(row: OrbitFileRow): void {
    const { time } = this.run.simulation.scenario;
    // Peculiar velocities: the state has p = a² dx/dt.
    const velocities = time.clock === "comoving" ? row.velocities.map((p) => p / row.time) : row.velocities;
    this.#waiting.push({ ...row, velocities });
    const file = this.#file!;
    const roomy = file.rows + this.#waiting.length <= file.room;
    if (roomy && this.#waiting.length * this.#rowBytes >= MOST_WAITING) this.#write();
  }

  #write(): void {
    this.#file?.append(this.#waiting);
    this.#waiting = [];
  }

  async #flush(): Promise<void> {
    await this.#makeRoom(this.#waiting.length);
    this.#write();
  }

  /** For so many more rows, and all that are known to come. */
  async #makeRoom(more: number): Promise<void> {
    const file = this.#file;
    if (!file) return;
    const wanted = Math.max(file.rows + more, roomOf(this.run.simulation) ?? 0);
    const grown = roomOf(this.run.simulation) === undefined ? Math.max(2 * file.room, 2 * wanted, FIRST_ROOM) : wanted;
    if (wanted > file.room) await file.resize(grown);
  }
}

/** A path with a gap wherever it jumps further than `most` [length]. */
function cutAtJumps(path: OrbitPaths["paths"][number], most: number): OrbitPaths["paths"][number] {
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

function layoutOf({ scenario, components }: Simulation, ids: Uint32Array): OrbitLayout {
  const { units, box, title, gravity, time, orbits: settings } = scenario;
  const { length, velocity, time: second } = unitSystem(units.system).labels;
  const comoving = time.clock === "comoving";
  const of = (id: number) => components.find(({ first, count }) => id >= first && id < first + count)?.name ?? "";
  return {
    ids,
    bits: gravity === "direct" ? 64 : 32,
    attributes: { title, gravmesh: version, units: units.system, BoxSize: box.size, every: settings.every },
    about: {
      ParticleIDs: { components: [...new Set(Array.from(ids, of))].join(", ") },
      Time: { unit: comoving ? "scale factor" : second },
      Coordinates: { unit: comoving ? `comoving ${length}` : length },
      Velocities: { unit: velocity, meaning: comoving ? "peculiar" : "at the time of the positions" },
    },
  };
}
