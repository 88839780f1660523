/**
 * Haloes by mass over the members of an ensemble: dn/dlnM = N/(V Δ ln M) in bins whose edges are 10^(j/5) of the deck's mass
 * unit, the same for all members; a member without haloes in a bin has 0 there.
 */
import { type Hdf5Group, writeAttributes } from "../../../run/io/hdf5.node.ts";
import type { Points } from "../../../run/page/charts.ts";
import { lineFigure } from "../../../run/page/html.ts";
import type { Markup } from "../../../run/page/markup.ts";
import { type UnitLabels, unit, volumeUnit } from "../../../run/page/units.ts";
import { matrixOf, writeColumns } from "./file.ts";
import { type Spread, spreadOf } from "./statistics.ts";
import type { UnitNames } from "./tables.ts";

const BINS_A_DECADE = 5;
/** A mass that lies on an edge but for the nine digits of its file belongs above it. */
const ROUNDING = 1e-7;

/** Haloes by bin j: 10^(j/5) ≤ M < 10^((j+1)/5). */
export function haloesByMass(masses: Iterable<number>): Map<number, number> {
  const found = new Map<number, number>();
  for (const mass of masses) {
    const bin = Math.floor(BINS_A_DECADE * Math.log10(mass) + ROUNDING);
    found.set(bin, (found.get(bin) ?? 0) + 1);
  }
  return found;
}

export type CollectedMassFunction = NonNullable<ReturnType<typeof massFunctionOf>>;

/** That of finished members with a catalogue, each with its box's side [length]; undefined where none has a halo. */
export function massFunctionOf(
  catalogues: readonly { index: number; byMass: ReadonlyMap<number, number>; side: number }[],
) {
  const bins = catalogues.flatMap(({ byMass }) => [...byMass.keys()]).filter(Number.isFinite);
  if (bins.length === 0) return undefined;
  const first = bins.reduce((least, bin) => Math.min(least, bin));
  const count = bins.reduce((most, bin) => Math.max(most, bin), first) - first + 1;
  const edge = (bin: number) => 10 ** ((first + bin) / BINS_A_DECADE);
  const number = catalogues.map(({ byMass }) =>
    Int32Array.from({ length: count }, (_, i) => byMass.get(first + i) ?? 0),
  );
  const spread = Array.from({ length: count }, (_, bin) =>
    spreadOf(catalogues.map(({ side }, i) => (number[i][bin] * BINS_A_DECADE) / (side ** 3 * Math.LN10))),
  );
  return {
    /** [bins] edges [mass]. */
    low: Float64Array.from({ length: count }, (_, i) => edge(i)),
    high: Float64Array.from({ length: count }, (_, i) => edge(i + 1)),
    /** Indices of the members in it, and their haloes, [members][bins]; [bins] of dn/dlnM [1/length³]. */
    members: catalogues.map(({ index }) => index),
    ...{ number, spread },
  };
}

export function writeMassFunction(group: Hdf5Group, found: CollectedMassFunction, { mass, length }: UnitNames): void {
  const { low, high, members, number, spread } = found;
  const density = `1/(${length})^3`;
  writeAttributes(group, { members: members.length, about: "dn/dlnM of friends-of-friends haloes at the end" });
  const of = (what: keyof Spread) => Float64Array.from(spread, (bin) => bin[what]);
  writeColumns(group, {
    member: [Int32Array.from(members), { meaning: "indices of the members in it, rows of number" }],
    low: [low, { unit: mass, meaning: "lower edge of a bin" }],
    high: [high, { unit: mass, meaning: "upper edge of a bin" }],
    number: matrixOf(number, low.length, { unit: "", meaning: "haloes of each member" }),
    mean: [of("mean"), { unit: density, meaning: "mean dn/dlnM" }],
    deviation: [of("deviation"), { unit: density, meaning: "standard deviation of one member, with n - 1" }],
  });
}

export function massFunctionFigure(
  { low, high, members, spread, side }: CollectedMassFunction & { side: number | undefined },
  units: UnitLabels,
): Markup {
  const middle = (i: number) => Math.sqrt(low[i] * high[i]);
  const points: Points = spread.map(({ mean }, i) => [middle(i), mean] as const);
  const several = members.length > 1;
  const noise = (mean: number) => Math.sqrt((mean * BINS_A_DECADE) / ((side ?? Number.NaN) ** 3 * Math.LN10));
  const poisson = several && side !== undefined;
  const scatter = spread.map(({ mean }, i) => [middle(i), mean - noise(mean), mean + noise(mean)] as const);
  const errors = spread.map(({ mean, deviation }) => [mean - deviation, mean + deviation] as const);
  return lineFigure({
    title: `Mass function of haloes, mean of ${members.length}`,
    keys: [
      { marks: "dot", line: false, text: several ? "mean, ± σ of a member" : `member ${members[0]}` },
      ...(poisson ? [{ tone: "muted" as const, band: true, text: "± √N" }] : []),
    ],
    description: "Mean number of haloes per logarithm of mass and volume, with the standard deviation of a member",
    x: { label: `M${unit(units.mass) || " [mass]"}`, scale: "log" },
    y: { label: `dn/dlnM [1/${volumeUnit(units)}]`, scale: "log" },
    series: [{ points, marks: "dot", line: false, ...(several && { errors }) }],
    ...(poisson && { areas: [{ tone: "muted", points: scatter }] }),
    note: "Bins without a halo in any member are not drawn.",
  });
}
