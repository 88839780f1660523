/**
 * What a periodic run writes about clustering: a power spectrum with every snapshot, haloes at the end, and what theory
 * has to say about both where the run has a cosmology.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Halofit } from "../cosmology/halofit.ts";
import { massFunction as predictedMassFunction } from "../cosmology/mass-function.ts";
import type { LinearPower } from "../cosmology/power.ts";
import { unitSystem } from "../deck/units.ts";
import { massFunction } from "../diagnostics/friends-of-friends-catalogue.ts";
import { GravmeshError } from "../errors.ts";
import { linearPowerOf } from "../initial/index.ts";
import { writeFileAtomic } from "../io/files.node.ts";
import { writeHaloesCsv, writeHaloesHdf5 } from "../io/haloes.node.ts";
import { type HaloSummary, haloSummary } from "../io/haloes.ts";
import { type MeasuredSpectrum, measuredSpectrum, spectrumCsv, spectrumName } from "../io/spectrum.ts";
import type { Simulation } from "../simulation.ts";

/** Reads a text file; for tables of power spectra. Throws "input". */
export async function loadText(file: string): Promise<string> {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new GravmeshError(
      "input",
      `cosmology.file: expected a readable table at ${file}, found: ${(cause as Error).message}`,
      { cause },
    );
  }
}

export class Clustering {
  readonly #folder: string;
  readonly spectra: MeasuredSpectrum[];
  #linear: Promise<LinearPower> | undefined;

  /** `spectra`: those of earlier sessions. */
  constructor(folder: string, spectra: readonly MeasuredSpectrum[] = []) {
    this.#folder = folder;
    this.spectra = [...spectra];
  }

  /** Measures and writes the spectrum of snapshot `index`, when the deck wants it. */
  async addSpectrum(simulation: Simulation, index: number): Promise<string | undefined> {
    const { scenario, time } = simulation;
    if (!scenario.output.powerSpectra || scenario.box.boundary !== "periodic") return undefined;
    const linear = await this.#theory(simulation);
    const halofit = linear && new Halofit(linear, time);
    const theory = linear && {
      linear: (k: number) => linear.power(k, time),
      halofit: (k: number) => halofit!.power(k),
    };
    // The lattice that a cosmological run starts from has no shot noise.
    const spectrum = await simulation.powerSpectrum({ subtractShotNoise: false });
    const measured = measuredSpectrum(spectrum, { index, time, theory });
    this.spectra.push(measured);
    const file = spectrumName(index);
    const { labels } = unitSystem(scenario.units.system);
    writeFileAtomic(join(this.#folder, file), spectrumCsv(measured, labels));
    return file;
  }

  /** Finds and writes the haloes of the present state, when the deck wants them. */
  async addHaloes(simulation: Simulation): Promise<HaloSummary | undefined> {
    const { scenario, time } = simulation;
    if (!scenario.output.haloes || scenario.box.boundary !== "periodic") return undefined;
    const catalogue = await simulation.haloes();
    const { labels, G } = unitSystem(scenario.units.system);
    const info = { time, units: labels };
    writeHaloesCsv(join(this.#folder, "haloes.csv"), catalogue, info);
    await writeHaloesHdf5(join(this.#folder, "haloes.hdf5"), catalogue, info);
    const linear = await this.#theory(simulation);
    const predicted = (model: "press-schechter" | "tinker") => (mass: number) =>
      predictedMassFunction(model, linear!, G, [mass], time)[0];
    return haloSummary(
      catalogue,
      massFunction(catalogue),
      linear && { pressSchechter: predicted("press-schechter"), tinker: predicted("tinker") },
    );
  }

  /** Linear theory of a comoving run. */
  async #theory({ scenario }: Simulation): Promise<LinearPower | undefined> {
    if (scenario.time.clock !== "comoving") return undefined;
    this.#linear ??= linearPowerOf(scenario.cosmology, loadText);
    return await this.#linear;
  }
}
