/** What the mass and the id of a particle can be, for everybody who reads one. */
import type { RowPlace } from "./row-feed.ts";

/** The mass, scaled. Throws "input" for one that isn't finite, or below 0. */
export function massIn(value: number | bigint, scale: number, { column, row }: RowPlace): number {
  const mass = Number(value) * scale;
  if (mass >= 0 && mass < Number.POSITIVE_INFINITY) return mass;
  const { path } = column;
  throw Number.isFinite(mass)
    ? column.fault(`${path.split("/")[0]} row ${row} has the negative mass ${mass}.`)
    : column.fault(`${path} row ${row} holds ${mass}; every value must be finite.`);
}

const LARGEST_ID = 2n ** 64n - 1n;

/** The id. Throws "input" for what is no whole number of 64 bits. */
export function idIn(value: number | bigint, { column, row }: RowPlace): number | bigint {
  if (value >= 0 && (typeof value === "bigint" ? value <= LARGEST_ID : Number.isSafeInteger(value))) return value;
  throw column.fault(`${column.path} row ${row} holds ${value}; expected whole numbers from 0 up to 2^64 - 1.`);
}
