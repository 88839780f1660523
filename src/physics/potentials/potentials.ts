/** The external potentials that there are. A further one is a file like plummer.ts, its kernel, and a line here. */
import type { z } from "zod";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { Registry } from "../../foundation/base/registry.ts";
import { axisymmetricTable } from "./axisymmetric-table.ts";
import { dehnen } from "./dehnen.ts";
import { dehnenBar } from "./dehnen-bar.ts";
import { hernquist } from "./hernquist.ts";
import { isochrone } from "./isochrone.ts";
import { logarithmic } from "./logarithmic.ts";
import { longMuraliBar } from "./long-murali-bar.ts";
import { miyamotoNagai } from "./miyamoto-nagai.ts";
import { mwPotential2014 } from "./mw-potential-2014.ts";
import { nfw } from "./nfw.ts";
import { plummer } from "./plummer.ts";
import { pointMass } from "./point-mass.ts";
import type { CompositeRecord, PotentialRecord, PotentialTable } from "./potential.ts";
import { powerLawCutoff } from "./power-law-cutoff.ts";
import { shell } from "./shell.ts";
import { sphericalTable } from "./spherical-table.ts";
import { uniformField } from "./uniform-field.ts";

const shipped = [
  ...([pointMass, plummer, hernquist, isochrone, nfw, dehnen, powerLawCutoff] as const),
  ...([miyamotoNagai, logarithmic, dehnenBar, longMuraliBar, uniformField, shell] as const),
] as const;

const composites = [mwPotential2014, sphericalTable, axisymmetricTable] as const;

/** The [[potential]] table of a record, as a program writes it. */
export type PotentialDeckTable<R> = R extends {
  name: infer N extends string;
  keys: infer S extends Record<string, z.ZodType<number | number[]>>;
}
  ? PotentialTable<N, S, R extends { turns?: true } ? true : false>
  : never;
/** A [[potential]] table of a kind that ships, as a program writes it. */
export type DeckPotential = PotentialDeckTable<(typeof shipped)[number] | (typeof composites)[number]>;

export const potentials = new Registry<PotentialRecord>("external potential", shipped);

/** The kinds of [[potential]] tables: those, and such that stand for several of them. */
export const potentialKinds = new Registry<PotentialRecord | CompositeRecord>("external potential", [
  ...shipped,
  ...composites,
]);

/** Words that a kernel has for a potential's keys. */
export const MOST_PARAMETERS = 8;

/** Adds a potential to those that decks and kernels know. Throws "usage" for a taken name and for too many keys. */
export function registerPotential(record: PotentialRecord): void {
  const [keys, constants] = [record.keys, record.constants ?? {}].map((words) => Object.keys(words).length);
  if (keys + constants > MOST_PARAMETERS) {
    const found = `external potential "${record.name}": expected at most ${MOST_PARAMETERS} keys${constants > 0 ? " and constants" : ""}, found ${keys + constants}`;
    throw new GravmeshError("usage", `${found}; form what depends on others in its formula and its kernel`);
  }
  potentialKinds.add(record);
  potentials.add(record);
}
