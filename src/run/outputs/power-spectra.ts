/** power_000.csv …: the power spectrum of a periodic run with every snapshot, beside theory where there is a cosmology. */
import { join } from "node:path";
import { Halofit } from "../../cosmology/halofit.ts";
import { unitSystem } from "../../deck/units.ts";
import { writeFileAtomic } from "../../io/files.node.ts";
import { type MeasuredSpectrum, measuredSpectrum, spectrumCsv, spectrumName } from "../../io/spectrum.ts";
import type { RunOutput } from "./output.ts";
import { linearTheory } from "./theory.ts";

export const powerSpectra: RunOutput = {
  name: "spectra",
  meaning: "power spectrum with every snapshot of a periodic run, with output.powerSpectra",
  files: [/^power_\d{3,}\.csv$/],
  has: ({ output, box }) => output.powerSpectra && box.boundary === "periodic",
  writer({ simulation, folder, kept, written }) {
    const { scenario } = simulation;
    written.spectra.push(...((kept as MeasuredSpectrum[] | undefined) ?? []));
    return {
      atSnapshot: async ({ index, time }) => {
        const linear = await linearTheory(scenario);
        const halofit = linear && new Halofit(linear, time);
        const theory = linear && {
          linear: (k: number) => linear.power(k, time),
          halofit: (k: number) => halofit!.power(k),
        };
        // The lattice that a cosmological run starts from has no shot noise.
        const spectrum = await simulation.powerSpectrum({ subtractShotNoise: false });
        const measured = measuredSpectrum(spectrum, { index, time, theory });
        written.spectra.push(measured);
        const { labels } = unitSystem(scenario.units.system);
        writeFileAtomic(join(folder, spectrumName(index)), spectrumCsv(measured, labels));
      },
      keep: () => written.spectra,
    };
  },
};
