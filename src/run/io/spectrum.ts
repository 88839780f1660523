/** power_000.csv: the power spectrum of a snapshot, a row a bin, with linear theory and Halofit. */
import { csvNumber, csvText } from "./csv.ts";

/** A spectrum with what theory says, for the file and the report. */
export interface MeasuredSpectrum {
  index: number;
  /** [time]; scale factor on the comoving clock. */
  time: number;
  /** [1/length] */
  nyquist: number;
  shotNoiseSubtracted: boolean;
  rows: SpectrumRow[];
}

export interface SpectrumRow {
  /** [1/length] */
  k: number;
  low: number;
  high: number;
  /** [length³] */
  power: number;
  modes: number;
  shotNoise: number;
  /** Predictions, averaged over the bin's modes as `power` is [length³]; absent without a cosmology. */
  linear?: number;
  halofit?: number;
}

export const spectrumName = (index: number): string => `power_${String(index).padStart(3, "0")}.csv`;

/** The file: a comment on units and time, a header, a row a bin. */
export function spectrumCsv(measured: MeasuredSpectrum, units: { length: string }): string {
  const theory = measured.rows[0]?.linear !== undefined;
  const columns = ["k", "k_low", "k_high", "power", "modes", "shot_noise", ...(theory ? ["linear", "halofit"] : [])];
  const what = measured.shotNoiseSubtracted ? "power is less shot noise" : "power holds shot noise";
  const comment = `time ${csvNumber(measured.time)}; k in 1/(${units.length}), power in (${units.length})^3; ${what}`;
  const rows = measured.rows.map(({ k, low, high, power, modes, shotNoise, linear, halofit }) => [
    ...[k, low, high, power, modes, shotNoise],
    ...(theory ? [linear, halofit] : []),
  ]);
  return csvText(columns, rows, comment);
}
