/**
 * P(k) over the members of an ensemble, snapshot by snapshot: mean, variance and covariance between bins, from spectra
 * in the same bins at the same time. Power is as the members' files have it, with the shot noise in it.
 */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { messageOf } from "../../../run/failure.ts";
import { breathe } from "../../../run/io/hdf5.node.ts";
import { spectrumName } from "../../../run/io/spectrum.ts";
import { memberFolder } from "../ensemble.ts";
import { isSame } from "./grid.ts";
import type { CollectedMember } from "./members.ts";
import { correlationOf, covarianceOf, meansOf } from "./statistics.ts";
import { numbersIn } from "./tables.ts";

export type CollectedSpectrum = ReturnType<typeof spectrumOf>;

const areSame = (a: Float64Array, b: Float64Array) => a.length === b.length && a.every((x, i) => isSame(x, b[i]));

/** Spectra of all snapshots in turn, of members that are counted; a file that can't be read is noted among its member's faults. */
export async function* collectSpectra(
  folder: string,
  members: readonly CollectedMember[],
): AsyncGenerator<CollectedSpectrum> {
  const counted = members.filter((member) => member.counted);
  for (let index = 0; ; index++) {
    const found: ReadSpectrum[] = [];
    let missing = 0;
    for (const member of counted) {
      try {
        const table = numbersIn(memberFolder(folder, member), spectrumName(index), 4);
        if (table) found.push(spectrumIn(table, spectrumName(index), member.index));
        else missing++;
      } catch (error) {
        member.faults.push(messageOf(error));
      }
      if (found.length % 64 === 0) await breathe();
    }
    if (missing === counted.length) return;
    if (found.length > 0) yield spectrumOf(index, found);
  }
}

type NumberTable = NonNullable<ReturnType<typeof numbersIn>>;

/** Columns are [B]: powers [length³]. */
function spectrumIn({ comment = "", names, rows }: NumberTable, name: string, member: number) {
  const column = (head: string) => {
    const place = names.indexOf(head);
    if (place < 0) throw new GravmeshError("input", `${name}: expected a column ${head}, found ${names.join(", ")}.`);
    return Float64Array.from(rows, (row) => row[place]);
  };
  const time = Number(/^time ([^;\s]+)/.exec(comment)?.[1]);
  if (!Number.isFinite(time))
    throw new GravmeshError("input", `${name}: expected its time in line 1, found "${comment}".`);
  return {
    ...{ member, time, k: column("k"), low: column("k_low"), high: column("k_high"), modes: column("modes") },
    ...{ power: column("power"), shotNoise: column("shot_noise") },
    linear: names.includes("linear") ? column("linear") : undefined,
  };
}

type ReadSpectrum = ReturnType<typeof spectrumIn>;

/** The spectrum of those at one time in the same bins; of several such sets the largest is taken, or else the first. */
function spectrumOf(index: number, found: readonly ReadSpectrum[]) {
  const sets: ReadSpectrum[][] = [];
  for (const one of found) {
    const set = sets.find(
      ([{ time, low, high, modes }]) =>
        isSame(time, one.time) && areSame(low, one.low) && areSame(high, one.high) && areSame(modes, one.modes),
    );
    if (set) set.push(one);
    else sets.push([one]);
  }
  const set = sets.reduce((most, other) => (other.length > most.length ? other : most));
  const [{ k, low, high, modes, time }] = set;
  const power = set.map((one) => one.power);
  const { mean, covariance } = covarianceOf(power);
  const correlation = correlationOf(covariance, k.length);
  const linear = set.flatMap((one) => one.linear ?? []);
  return {
    index,
    /** [time]; scale factor on the comoving clock. */
    time,
    /** [B] of the bins: mean wavenumber and edges [1/length], number of modes. */
    ...{ k, low, high, modes },
    /** Members that are in it, in order; and others that have one at another time or in other bins. */
    members: set.map(({ member }) => member),
    leftOut: found.filter((one) => !set.includes(one)).map(({ member }) => member),
    /** [n][B] of the members [length³]; their [B·B] covariance, with n − 1 [length⁶], and C_ij/√(C_ii C_jj). */
    ...{ power, covariance, correlation },
    /** [B] of the members' mean; `linear` where all have it [length³]. */
    mean,
    shotNoise: meansOf(set.map(({ shotNoise }) => shotNoise)),
    linear: linear.length === set.length ? meansOf(linear) : undefined,
  };
}

/** Standard deviation of one member's power, [B]; no numbers of a single one. */
export function deviationOf({ covariance, k }: Pick<CollectedSpectrum, "covariance" | "k">): Float64Array {
  return k.map((_, i) => Math.sqrt(covariance[i * k.length + i]));
}
