/** The linear power spectrum of a [cosmology] table: lattices are displaced by it, and measured spectra compared with it. */
import { GravmeshError } from "../base/errors.ts";
import { Background } from "./background.ts";
import { Growth } from "./growth.ts";
import { LinearPower, type PowerOptions } from "./power.ts";
import type { CosmologySettings } from "./settings.ts";
import { spectrumTable } from "./table.ts";

/** Reads a text file: by default the table of a power spectrum; `what`: what it is, for messages. */
export type TextLoader = (file: string, what?: string) => Promise<string>;

/** P(k, a) [(Mpc/h)³]. Throws "usage" without a loader for a table, "input" for its faults, "scenario" for the settings. */
export async function linearPowerOf(settings: CosmologySettings, loadText?: TextLoader): Promise<LinearPower> {
  const { transfer, file, spectralIndex, sigma8, As } = settings;
  const background = new Background(settings);
  const amplitude = As > 0 ? { As } : { sigma8 };
  const growth = new Growth(background);
  const spectrum = (of: PowerOptions["transfer"]) =>
    new LinearPower(background, growth, { transfer: of, spectralIndex, amplitude });
  if (transfer !== "file") return spectrum(transfer);
  if (!loadText) {
    throw new GravmeshError(
      "usage",
      `cosmology.file: expected something that reads ${file}, found none; pass options.loadText, or use transfer = "eisenstein-hu"`,
    );
  }
  return spectrum(spectrumTable(await loadText(file), file, background));
}
