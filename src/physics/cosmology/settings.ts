/** The table [cosmology]: the background, and the power spectrum of the random field that "lattice" components are. */
import { z } from "zod";
import {
  anyNumber,
  choice,
  flag,
  nonNegative,
  numbers,
  optional,
  orWord,
  positive,
  text,
} from "../../foundation/deck/keys.ts";
import { mismatchIf, type Problem, shortest } from "../../foundation/deck/problems.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { criticalDensity } from "./constants.ts";
import { NeutrinoGas } from "./neutrino-gas.ts";

export const cosmologyTable = z
  .strictObject({
    omegaM: optional(positive, 0.3, {
      meaning: "density of matter today, baryons and massive neutrinos included (Ωm)",
    }),
    omegaB: optional(nonNegative, 0.05, { meaning: "density of baryons today (Ωb)" }),
    darkEnergy: optional(orWord(nonNegative, "flat"), "flat", {
      meaning: "density of dark energy today; flat: what makes space flat",
    }),
    w0: optional(anyNumber, -1, { meaning: "dark energy's pressure over density today" }),
    wa: optional(anyNumber, 0, { meaning: "its change: w = w0 + wa (1 − a)" }),
    h: optional(positive, 0.7, { meaning: "Hubble constant in 100 km/s/Mpc" }),
    radiation: optional(flag, false, {
      meaning: "photons and massless neutrinos take part in the expansion",
    }),
    tCmb: optional(positive, 2.7255, {
      unit: "K",
      meaning: "microwave background today",
    }),
    nEff: optional(nonNegative, 3.044, {
      meaning: "species of neutrinos, effective number; massive ones, 1.0132 each, are among them",
    }),
    neutrinoMasses: optional(numbers, [], {
      unit: "eV",
      meaning: "a mass for each massive species, [0.05, 0.05, 0.05]; part of Ωm, by linear response",
    }),
    spectralIndex: optional(anyNumber, 0.96, { meaning: "n_s of the primordial spectrum" }),
    sigma8: optional(positive, 0.8, { meaning: "normalises the spectrum, today, linear" }),
    As: optional(nonNegative, 0, {
      meaning: "A_s at 0.05/Mpc normalises it instead, where above 0",
    }),
    amplitude: optional(choice("given", "table"), "given", {
      meaning: "given: sigma8, or As where above 0; table: that of a tabulated power spectrum itself",
    }),
    transfer: optional(choice("eisenstein-hu", "no-wiggle", "file"), "eisenstein-hu", {
      meaning: "Eisenstein & Hu 1998, with or without baryon wiggles, or a table",
    }),
    file: optional(text, "", {
      meaning: 'with transfer = "file": spectrum or transfer function of CLASS or CAMB, relative to the deck',
    }),
  })
  .describe('The expanding background and its linear theory; used with time.clock = "comoving"');
export type CosmologySettings = z.output<typeof cosmologyTable>;

export const cosmologyDefaults: Readonly<CosmologySettings> = cosmologyTable.parse({});

/** Mass of all matter in a box of side `size` [Mpc/h], in 1e10 Msun/h. */
export function matterOf(omegaM: number, size: number): number {
  return omegaM * criticalDensity(unitSystem("cosmological").G) * size ** 3;
}

/** Ωcb today, of what particles are: cold matter and baryons, no massive neutrinos. */
export function coldMatterOf({
  omegaM,
  ...gas
}: Pick<CosmologySettings, "omegaM" | "h" | "tCmb" | "neutrinoMasses">): number {
  return gas.neutrinoMasses.length > 0 ? omegaM - new NeutrinoGas(gas).at(1).density : omegaM;
}

/** Massive neutrinos act by a factor of the potential's modes on one periodic mesh. */
export function neutrinoProblems(
  { neutrinoMasses }: CosmologySettings,
  deck: { gravity: string; mesh: { poisson: string }; mond: { formulation: string }; level: readonly object[] },
): Problem[] {
  const hint = "They act by a factor of the potential's modes on the mesh";
  const not = (path: string[], word: string, found: string) =>
    mismatchIf(found !== word, path, `"${word}" with cosmology.neutrinoMasses`, found, hint);
  const levels = deck.level.length;
  if (neutrinoMasses.length === 0) return [];
  return [
    ...not(["gravity"], "mesh", deck.gravity),
    ...not(["mesh", "poisson"], "fft", deck.mesh.poisson),
    ...not(["mond", "formulation"], "none", deck.mond.formulation),
    ...mismatchIf(levels > 0, ["level"], "no [[level]] with cosmology.neutrinoMasses", `${levels} of them`, hint),
  ];
}

/** What massive neutrinos there are, in a line; none without. */
export function neutrinoNotes(settings: CosmologySettings): string[] {
  const { neutrinoMasses, omegaM, h } = settings;
  if (neutrinoMasses.length === 0) return [];
  const cold = coldMatterOf(settings);
  const mass = neutrinoMasses.reduce((sum, one) => sum + one, 0);
  const [density, share] = [(omegaM - cold) * h * h, 1 - cold / omegaM].map((one) => one.toPrecision(4));
  return [
    `neutrinos of Σm = ${shortest(mass)} eV: Ων h² = ${density}, fν = Ων/Ωm = ${share}; particles are cold matter and ` +
      `baryons, Ωcb = ${cold.toPrecision(6)}, and so is the power of spectra and of theory`,
  ];
}

/** Problems between the keys; checked on a comoving clock only. */
export function cosmologyProblems(settings: CosmologySettings): Problem[] {
  const { omegaM, omegaB, transfer, file, amplitude, As } = settings;
  const own = amplitude === "table" && (transfer !== "file" || As > 0);
  const at = (key: string) => ["cosmology", key];
  const hint = 'Name the output of CLASS or CAMB, or use transfer = "eisenstein-hu"';
  return [
    ...mismatchIf(omegaB > omegaM, at("omegaB"), `at most omegaM = ${omegaM}`, omegaB, "Ωm includes baryons"),
    ...mismatchIf(transfer === "file" && file.trim() === "", at("file"), "a file's name", file, hint),
    ...mismatchIf(
      own,
      at("amplitude"),
      '"given" without transfer = "file", or with As',
      amplitude,
      "Only a table has its own",
    ),
  ];
}
