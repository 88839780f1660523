/** The particles of a snapshot block by block, and their masses, from the rows of its types as they are arranged. */
import { blockRanges } from "../../physics/particles/blocks.ts";
import { ParticleMasses } from "../../physics/particles/masses.ts";
import type { SourceBlock } from "../../physics/particles/source.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import { RowFeed } from "./row-feed.ts";
import { common, type RowRun } from "./snapshot-rows.ts";
import type { SnapshotScales } from "./snapshot-units.ts";
import { columnsOf, type TypeRows, within } from "./type-rows.ts";

export type Arrangement =
  | { components: readonly ComponentRange[]; runs: readonly RowRun[] }
  /** Particle → row, in no order. */
  | { components: readonly ComponentRange[]; rows: Uint32Array };

/** What is read of every particle, block after block. */
export interface Reading {
  types: readonly TypeRows[];
  count: number;
  scales: SnapshotScales;
  bits: 32 | 64;
  block: number;
  moving: boolean;
}

/** Particles whose rows follow each other as they do. */
async function* inRuns(reading: Reading, runs: readonly RowRun[]): AsyncGenerator<SourceBlock> {
  const { types, count, scales, bits, block, moving } = reading;
  const feeds = types.map((type) => ({
    type,
    positions: new RowFeed(columnsOf(type, "coordinates")),
    velocities: new RowFeed(columnsOf(type, "velocities")),
  }));
  try {
    for (const range of blockRanges(count, block)) {
      const positions = new Float64Array(3 * range.count);
      const velocities = new (bits === 64 ? Float64Array : Float32Array)(3 * range.count);
      for (const run of runs) {
        const part = common(run, range);
        if (part === undefined) continue;
        const feed = feeds.find(({ type }) => within(type, run.row))!;
        const at = part.first - range.first;
        await feed.positions.fill(positions, at, part.count, scales.length);
        if (moving) await feed.velocities.fill(velocities, at, part.count, scales.velocity);
      }
      yield { ...range, positions, velocities };
    }
  } finally {
    for (const { positions, velocities } of feeds) await Promise.all([positions.close(), velocities.close()]);
  }
}

/** Particles whose rows are in no order: all of them are read first, in the precision of the file. */
async function* inOrder(reading: Reading, rows: Uint32Array): AsyncGenerator<SourceBlock> {
  const { types, count, scales, bits, block, moving } = reading;
  const all = async (field: "coordinates" | "velocities") => {
    const columns = types.flatMap((type) => columnsOf(type, field));
    const wide = columns.some((one) => one.size === 8 || !one.real);
    const values = new (wide ? Float64Array : Float32Array)(3 * count);
    await RowFeed.of(columns, (feed) => feed.fill(values, 0, count, 1));
    return values;
  };
  const x = await all("coordinates");
  const v = moving ? await all("velocities") : x;
  for (const range of blockRanges(count, block)) {
    const positions = new Float64Array(3 * range.count);
    const velocities = new (bits === 64 ? Float64Array : Float32Array)(3 * range.count);
    for (let k = 0; k < positions.length; k++) {
      const at = 3 * rows[range.first + Math.floor(k / 3)] + (k % 3);
      positions[k] = x[at] * scales.length;
      if (moving) velocities[k] = v[at] * scales.velocity;
    }
    yield { ...range, positions, velocities };
  }
}

export function particleBlocks(reading: Reading, arrangement: Arrangement): AsyncGenerator<SourceBlock> {
  return "runs" in arrangement ? inRuns(reading, arrangement.runs) : inOrder(reading, arrangement.rows);
}

/** The masses of all particles, from those of the rows of each type. */
export function massesIn(
  types: readonly TypeRows[],
  byType: readonly (number | Float64Array)[],
  arrangement: Arrangement,
): ParticleMasses {
  const typeOf = (row: number) => types.findIndex((type) => within(type, row));
  if ("runs" in arrangement) {
    return new ParticleMasses(
      arrangement.runs.map(({ first, row, count }) => {
        const type = typeOf(row);
        const masses = byType[type];
        if (typeof masses === "number") return { first, count, mass: masses };
        const part = masses.subarray(row - types[type].range.first, row - types[type].range.first + count);
        return { first, count, mass: part.every((mass) => mass === part[0]) ? part[0] : part };
      }),
    );
  }
  const { rows, components } = arrangement;
  if (byType.every((mass) => mass === byType[0]) && typeof byType[0] === "number") {
    return new ParticleMasses([{ first: 0, count: rows.length, mass: byType[0] }]);
  }
  const all = Float64Array.from(rows, (row) => {
    const type = typeOf(row);
    const masses = byType[type];
    return typeof masses === "number" ? masses : masses[row - types[type].range.first];
  });
  return ParticleMasses.of(all, components);
}
