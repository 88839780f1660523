/**
 * Where the levels lie: their centres, moved with the particles that they follow by integer sums on the device, and the
 * first cells of their meshes. Levels in one another have one centre, so that they can't come apart. It is the mean of those
 * that lie within half the outermost core of where it will be if it goes on as it moved, or in a smaller cube where they are much
 * denser, at the positions at which the force is evaluated; at the start it is looked for where they are densest. The first
 * evaluation after that, or after a restored state, takes the centres as they are, so that it repeats the one that the state had.
 */
import centresWgsl from "../../../../wgsl/engine/mesh/levels/level-centres.wgsl";
import type { Batch } from "../../../foundation/gpu/batch.ts";
import { f32, packUniform, USAGE, u32 } from "../../../foundation/gpu/buffers.ts";
import type { WgslConstants } from "../../../foundation/gpu/compose.ts";
import type { BoundKernel } from "../../../foundation/gpu/kernel.ts";
import { timedTogether } from "../../../foundation/ranks/ranks.ts";
import { sumTotals } from "../../../foundation/ranks/totals.ts";
import { toFixedPoint } from "../../../physics/particles/fixed-point.ts";
import type { IdRange } from "../../../physics/particles/reductions.ts";
import {
  type ArraysInPieces,
  arrayType,
  type SavedArray,
  wholeArray,
} from "../../../physics/particles/saved-arrays.ts";
import { stencilReach } from "../deposit/stencil.ts";
import type { MeshStage } from "../stage.ts";
import {
  CENTRES,
  densestCorner,
  firstCells,
  type LevelGeometry,
  levelChains,
  levelGeometry,
  requireCentres,
} from "./level-grid.ts";
import type { Level } from "./level-settings.ts";
import { dispatchInPlanes, levelSlotConstants } from "./level-slots.ts";

const GROUP = 64;
/** Particles that an invocation looks at. */
const RUN = { software: 64, hardware: 16 };
/** Words of the WGSL struct LevelPlace. */
const PLACE_WORDS = 16;
/** Where `moved` begins, and `found` behind it. */
const MOVED_WORD = 12;
/** Counts and separations of a level, of three words each. */
const QUANTITIES = 4 * CENTRES.cubes;
const TOTAL_WORDS = 3 * QUANTITIES;
const PLACES = 6;

/** Of an outermost level that follows particles. */
type Sums = (batch: Batch) => void;

/** What some kernels need to know of the level that they work for. */
interface ThisLevel {
  /** The level in it. */
  child?: number | undefined;
  /** Bits of the outermost levels in which its particles may count for the box; whether those that do are meant, or the others. */
  earlier?: number;
  guests?: boolean;
  /** Of its potential [velocity²]. */
  offset?: number;
}

interface Parts {
  totals: GPUBuffer;
  sums: readonly Sums[];
  settle: BoundKernel;
}

export class LevelPlaces {
  /** Whether the next evaluation takes the centres as they are. */
  #held = true;

  private constructor(
    private readonly stage: MeshStage,
    readonly levels: readonly Level[],
    readonly geometry: readonly LevelGeometry[],
    /** WGSL struct LevelPlace of each: a uniform. */
    readonly buffer: GPUBuffer,
    private readonly parts: Parts,
  ) {}

  static async create(stage: MeshStage, levels: readonly Level[]): Promise<LevelPlaces> {
    const { gpu, particles, settings } = stage;
    const geometry = levelGeometry(levels, settings.mesh.cells, stencilReach(settings.mesh));
    const own = gpu.buffers;
    const words = levels.flatMap((level, l) => placeWords(level, geometry[l], settings));
    const buffer = own.upload("places of levels", packed(words), "other", USAGE.UNIFORM);
    const totals = own.storage("sums of levels", 4 * TOTAL_WORDS * levels.length, "other");
    const run = gpu.adapter.software ? RUN.software : RUN.hardware;
    const most = Math.max(1, ...levels.map(({ follows }) => follows.length));
    const chains = levelChains(levels);
    const constants = {
      ...{ RUN: run, RANGES: `${most}u`, PLACES, ISOLATED: settings.boundary === "isolated", LEAST: CENTRES.least },
      ...levelSlotConstants(stage, PLACES + 1),
      ...{ LEVELS: `${levels.length}u`, CUBES: `${CENTRES.cubes}u`, START_CELLS: `${CENTRES.cells}u` },
      OUTERMOST: `array(${levels.map((_, l) => `${chains.find((one) => one.includes(l))![0]}u`).join(", ")})`,
    };
    const kernel = (entry: string) =>
      gpu.kernel({ label: `level centres/${entry}`, sources: [centresWgsl], entry, constants });
    const [counts, sum, settle] = await Promise.all([kernel("count"), kernel("sum"), kernel("settle")]);
    const temporary = own.pool();
    const cells = temporary.storage("followed by cell", 4 * CENTRES.cells ** 3, "other");
    await temporary.settle();
    const moving = chains.filter(([l]) => levels[l].follows.length > 0);
    // Counts by cell, or sums over cubes of which half a side is at least `share` of a box, or half the core.
    const within = (share?: number) =>
      moving.map(([l]): Sums => {
        const level = levels[l];
        const { perBox, core } = geometry[l];
        const reach = Math.min(2 ** 31 - 1, 2 ** 32 * Math.max(share ?? 0, (core / 2) * (level.refinement / perBox)));
        const ranges = Array.from({ length: most }, (_, i) => ofShare(level.follows[i], particles.held.share));
        const list = u32(...ranges.flatMap(({ first, count }) => [first, count, 0, 0]));
        const followed = own.uniform(`followed by level ${l + 1}`, [...u32(l, Math.floor(reach), 0, 0), ...list]);
        return dispatchInPlanes(stage, { run, group: GROUP }, (here, slots) =>
          share === undefined
            ? counts.bindNamed({ followed, ...here, totals: cells })
            : sum.bindNamed({ followed, ...here, totals, places: buffer, ...slots }),
        );
      });
    const settled = settle.bindNamed({ totals, settled: buffer });
    const places = new LevelPlaces(stage, levels, geometry, buffer, { totals, sums: within(0), settle: settled });
    for (const [i, counted] of within().entries()) await places.#begin(moving[i], counted, cells);
    temporary.destroyAll();
    let batch = gpu.batch("places of levels");
    for (const cells of CENTRES.searches) {
      batch = await places.#settled(places.#encodeSums(batch, within(cells / CENTRES.cells)));
      // A search is no motion.
      for (const l of levels.keys()) batch.clear(buffer, 4 * (PLACE_WORDS * l + MOVED_WORD), 16);
    }
    await batch.submit();
    return places;
  }

  /** Puts the levels of a chain where most particles of those that they follow are. */
  async #begin(chain: readonly number[], counts: Sums, cells: GPUBuffer): Promise<void> {
    const { gpu, particles, settings } = this.stage;
    const batch = this.#encodeSums(gpu.batch("densest place"), [counts], cells);
    const words = new Uint32Array(await batch.readBack(cells));
    await sumTotals(particles.ranks, words, [{ at: 0, count: words.length, width: 1 }]);
    const found = densestCorner(words, settings.boundary === "isolated");
    if (!found) return;
    const [x, y, z] = found.map((share) => share * settings.boxSize);
    for (const l of chain) {
      const place = placeWords({ ...this.levels[l], place: [x, y, z] }, this.geometry[l], settings);
      gpu.device.queue.writeBuffer(this.buffer, 4 * PLACE_WORDS * l, packed(place));
    }
  }

  /** What kernels need that import wgsl/engine/mesh/levels/level-members.wgsl: they bind the places at `binding`, their level behind it. */
  constants(binding: number): WgslConstants {
    return { LEVELS: `${this.levels.length}u`, PLACES: binding, THIS_LEVEL: binding + 1 };
  }

  /** WGSL struct ThisLevel: a uniform. */
  thisLevel(l: number, { child, earlier = 0, guests = false, offset = 0 }: ThisLevel = {}): GPUBuffer {
    const none = this.levels.length;
    const words = u32(l, this.levels[l].parent ?? none, child ?? none, earlier, guests ? 1 : 0);
    return this.stage.gpu.buffers.uniform(`level ${l + 1}`, [...words, ...f32(offset), ...u32(0, 0)]);
  }

  /** Moves the levels with their particles; what comes after it goes into the batch returned. All ranks call it. */
  async encode(batch: Batch): Promise<Batch> {
    const { sums } = this.parts;
    const held = this.#held || sums.length === 0;
    this.#held = false;
    return held ? batch : this.#settled(this.#encodeSums(batch, sums));
  }

  /** The sums of all ranks become centres. */
  async #settled(batch: Batch): Promise<Batch> {
    const { gpu, particles } = this.stage;
    const { totals, settle } = this.parts;
    if (particles.ranks.size === 1) return batch.dispatch(settle, [1]);
    const words = new Uint32Array(await batch.readBack(totals));
    const count = QUANTITIES * this.levels.length;
    await timedTogether(particles.ranks, gpu.timer, () =>
      sumTotals(particles.ranks, words, [{ at: 0, count, width: 3 }]),
    );
    const rest = gpu.batch(batch.label).write(totals, 0, words.slice().buffer);
    return rest.stage("levels").dispatch(settle, [1]);
  }

  #encodeSums(batch: Batch, sums: readonly Sums[], totals = this.parts.totals): Batch {
    batch.stage("levels").clear(totals);
    for (const sum of sums) sum(batch);
    return batch;
  }

  /** Centres [levels × 3, box coordinates], as they are on the device. */
  async centres(): Promise<number[][]> {
    return this.#centresOf(await this.stage.gpu.read(this.buffer));
  }

  #centresOf(data: ArrayBufferLike): number[][] {
    const words = new Uint32Array(data);
    const scale = this.stage.settings.boxSize / 2 ** 32;
    return this.levels.map((_, l) => [0, 1, 2].map((axis) => words[PLACE_WORDS * l + axis] * scale));
  }

  /** They are read with the batch. */
  encodeRead(batch: Batch, take: (centres: number[][]) => void): void {
    batch.read(this.buffer, 0, this.buffer.size, (data) => take(this.#centresOf(data)));
  }

  async *#piece(): AsyncGenerator<SavedArray> {
    yield new Uint32Array(await this.stage.gpu.read(this.buffer));
  }

  saveState(): ArraysInPieces {
    const length = PLACE_WORDS * this.levels.length;
    return { levelPlaces: { type: "Uint32Array", length, pieces: () => this.#piece() } };
  }

  /** Throws "input" for the state of other levels. */
  async restoreState({ levelPlaces: saved }: ArraysInPieces): Promise<void> {
    const { levels, geometry, stage } = this;
    requireCentres(levels, saved && arrayType(saved) === "Uint32Array" ? (3 * saved.length) / PLACE_WORDS : undefined);
    const state = (await wholeArray(saved!)) as Uint32Array;
    const places = this.#centresOf(state.slice().buffer);
    const words = levels.flatMap((level, l) => {
      const [x, y, z] = places[l];
      const own = state.subarray(PLACE_WORDS * l, PLACE_WORDS * (l + 1));
      const mesh = placeWords({ ...level, place: [x, y, z] }, geometry[l], stage.settings).slice(3, MOVED_WORD);
      return [...u32(...own.subarray(0, 3)), ...mesh, ...u32(...own.subarray(MOVED_WORD))];
    });
    stage.gpu.device.queue.writeBuffer(this.buffer, 0, packed(words));
    this.#held = true;
  }
}

/** WGSL struct LevelPlace of a level about its `place`. */
function placeWords(level: Level, geometry: LevelGeometry, { boxSize }: MeshStage["settings"]) {
  const { perBox, core, edge, faceMargin } = geometry;
  const centre = level.place.map((x) => toFixedPoint(x, boxSize).u);
  const inBoxes = centre.map((u) => u / 2 ** 32);
  const first = firstCells(level, geometry, inBoxes).map((cell) => (cell + perBox) % perBox);
  return [
    ...u32(...centre, level.cells, ...first, perBox),
    ...f32(core, faceMargin),
    ...u32(level.refinement, edge, 0, 0, 0, 0),
  ];
}

function packed(words: Parameters<typeof packUniform>[0]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(packUniform(words));
}

/** The part of a range of ids that lies in a share of the particles, by its own ids. */
function ofShare(range: IdRange | undefined, share: { first: number; count: number }): IdRange {
  if (!range) return { first: 0, count: 0 };
  const first = Math.max(range.first, share.first);
  const end = Math.min(range.first + range.count, share.first + share.count);
  return { first: Math.max(0, first - share.first), count: Math.max(0, end - first) };
}
