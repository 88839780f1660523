/**
 * The linear power spectrum that a [cosmology] table describes: what lattices are displaced by, and what measured spectra
 * are compared with.
 */
import { Background } from "../cosmology/background.ts";
import { Growth } from "../cosmology/growth.ts";
import { LinearPower } from "../cosmology/power.ts";
import type { CosmologySettings } from "../cosmology/settings.ts";
import { spectrumTable } from "../cosmology/table.ts";
import { GravmeshError } from "../errors.ts";
import type { TextLoader } from "./model.ts";

/**
 * P(k, a) [(Mpc/h)³]. Throws "usage" for a table without something that reads files, "input" for a table that can't be
 * read, "scenario" for settings that don't make a spectrum.
 */
export async function linearPowerOf(settings: CosmologySettings, loadText?: TextLoader): Promise<LinearPower> {
  const { transfer, file, spectralIndex, sigma8, As } = settings;
  const background = new Background(settings);
  const normalisation = As > 0 ? { As } : { sigma8 };
  if (transfer !== "file") {
    return new LinearPower(background, new Growth(background), { transfer, spectralIndex, amplitude: normalisation });
  }
  if (!loadText) {
    throw new GravmeshError(
      "usage",
      `cosmology.file: expected something that reads ${file}, found none; pass options.loadText, or use transfer = "eisenstein-hu"`,
    );
  }
  const table = spectrumTable(await loadText(file), file, background);
  return new LinearPower(background, new Growth(background), {
    transfer: table,
    spectralIndex,
    amplitude: normalisation,
  });
}
