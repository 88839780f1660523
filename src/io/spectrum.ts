/**
 * power_000.csv: the power spectrum of a snapshot, a row a bin, beside linear theory and Halofit.
 */
import type { Spectrum } from "../diagnostics/power-spectrum.ts";

/** A spectrum with what theory says, for the file and the report. */
export interface MeasuredSpectrum {
  /** Snapshot that it belongs to. */
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
  /** Predictions at k [length³]; absent without a cosmology. */
  linear?: number;
  halofit?: number;
}

/** P(k) of linear theory and of Halofit at one time [length³]. */
export interface PowerTheory {
  linear(k: number): number;
  halofit(k: number): number;
}

/** Name of the spectrum of snapshot `index`: power_000.csv … */
export function spectrumName(index: number): string {
  return `power_${String(index).padStart(3, "0")}.csv`;
}

/** Rows of the bins that hold modes. */
export function measuredSpectrum(
  spectrum: Spectrum,
  { index, time, theory }: { index: number; time: number; theory?: PowerTheory | undefined },
): MeasuredSpectrum {
  const rows: SpectrumRow[] = [];
  spectrum.k.forEach((k, i) => {
    if (spectrum.modes[i] === 0) return;
    const { low, high, power, modes, shotNoise } = spectrum;
    rows.push({
      ...{ k, low: low[i], high: high[i], power: power[i], modes: modes[i], shotNoise: shotNoise[i] },
      ...(theory && { linear: theory.linear(k), halofit: theory.halofit(k) }),
    });
  });
  return { index, time, nyquist: spectrum.nyquist, shotNoiseSubtracted: spectrum.shotNoiseSubtracted, rows };
}

const SIGNIFICANT_DIGITS = 9;
const number = (value: number) => String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));

/** The file: a comment on units and time, a header, a row a bin. */
export function spectrumCsv(measured: MeasuredSpectrum, units: { length: string }): string {
  const theory = measured.rows[0]?.linear !== undefined;
  const columns = ["k", "k_low", "k_high", "power", "modes", "shot_noise", ...(theory ? ["linear", "halofit"] : [])];
  const what = measured.shotNoiseSubtracted ? "power is less shot noise" : "power holds shot noise";
  const heading = `# time ${number(measured.time)}; k in 1/(${units.length}), power in (${units.length})^3; ${what}\n`;
  const rows = measured.rows.map((row) => {
    const { k, low, high, power, modes, shotNoise, linear, halofit } = row;
    return [k, low, high, power, modes, shotNoise, ...(theory ? [linear!, halofit!] : [])].map(number).join(",");
  });
  return `${heading}${[columns.join(","), ...rows].join("\n")}\n`;
}
