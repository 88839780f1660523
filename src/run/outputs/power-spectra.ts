/** power_000.csv …: the power spectrum of a periodic run with every snapshot, beside theory where there is a cosmology. */
import { join } from "node:path";
import type { Spectrum } from "../../engine/diagnostics/power-spectrum.ts";
import { meanOverModes } from "../../engine/diagnostics/power-spectrum-bins.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { Halofit } from "../../physics/cosmology/halofit.ts";
import { type LinearPower, linearPowerOf } from "../../physics/cosmology/power.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { writeFileAtomic } from "../io/files.node.ts";
import { type MeasuredSpectrum, type SpectrumRow, spectrumCsv, spectrumName } from "../io/spectrum.ts";
import { loadText } from "../scenario-source.ts";
import type { RunOutput } from "./output.ts";

export const powerSpectra: RunOutput<readonly MeasuredSpectrum[]> = {
  name: "spectra",
  meaning: "power spectrum with every snapshot of a periodic run, with output.powerSpectra",
  files: [/^power_\d{3,}\.csv$/],
  has: ({ output, box }) => output.powerSpectra && box.boundary === "periodic",
  writer({ simulation, folder, kept }) {
    const { scenario } = simulation;
    const { labels } = unitSystem(scenario.units.system);
    const spectra: MeasuredSpectrum[] = [];
    const write = (measured: MeasuredSpectrum) => {
      spectra.push(measured);
      writeFileAtomic(join(folder, spectrumName(measured.index)), spectrumCsv(measured, labels));
    };
    // Those of earlier sessions too: whatever has become of their files.
    for (const measured of (kept as MeasuredSpectrum[] | undefined) ?? []) write(measured);
    return {
      atSnapshot: async ({ index, time }) => {
        const linear = await linearTheory(scenario);
        // The lattice that a cosmological run starts from has no shot noise.
        const spectrum = await simulation.powerSpectrum({ subtractShotNoise: false });
        const { nyquist, shotNoiseSubtracted } = spectrum;
        write({ index, time, nyquist, shotNoiseSubtracted, rows: besideTheory(spectrum, scenario, { time, linear }) });
      },
      keep: () => spectra,
      summary: () => spectra,
    };
  },
};

/** Rows of the bins that hold modes; theory is averaged over these, as the power is: it falls steeply within a bin. */
function besideTheory(
  spectrum: Spectrum,
  { box }: Scenario,
  { time, linear }: { time: number; linear: LinearPower | undefined },
): SpectrumRow[] {
  const { modes, low, high, power, shotNoise } = spectrum;
  const halofit = linear && new Halofit(linear, time);
  const linearOf = linear && meanOverModes(spectrum, box.size, (k) => linear.power(k, time));
  const halofitOf = halofit && meanOverModes(spectrum, box.size, (k) => halofit.power(k));
  return Array.from(spectrum.k, (k, i) => ({
    ...{ k, low: low[i], high: high[i], power: power[i], modes: modes[i], shotNoise: shotNoise[i] },
    ...(linearOf && halofitOf && { linear: linearOf[i], halofit: halofitOf[i] }),
  })).filter((row) => row.modes > 0);
}

const made = new WeakMap<Scenario, Promise<LinearPower>>();

/** Undefined on a static clock. */
export async function linearTheory(scenario: Scenario): Promise<LinearPower | undefined> {
  if (scenario.time.clock !== "comoving") return undefined;
  const power = made.get(scenario) ?? linearPowerOf(scenario.cosmology, loadText);
  made.set(scenario, power);
  return await power;
}
