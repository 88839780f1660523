/** The initial models: each is a record in a file of its own and a line in this list. */
import type { z } from "zod";
import { Registry } from "../../foundation/base/registry.ts";
import { dehnen } from "./dehnen.ts";
import { einasto } from "./einasto.ts";
import { exponentialDisk } from "./exponential-disk.ts";
import { hernquist } from "./hernquist.ts";
import { isochrone } from "./isochrone.ts";
import { kepler } from "./kepler.ts";
import { king } from "./king.ts";
import { kuzminDisk } from "./kuzmin-disk.ts";
import { lattice } from "./lattice.ts";
import { mestelDisk } from "./mestel-disk.ts";
import type { InitialModel } from "./model.ts";
import { nfw } from "./nfw.ts";
import { planeWave } from "./plane-wave.ts";
import { plummer } from "./plummer.ts";
import { snapshot } from "./snapshot.ts";
import { uniform } from "./uniform.ts";
import { uniformSphere } from "./uniform-sphere.ts";

/** In the order of the documentation: spheres, disks and others. */
const shipped = [
  ...([plummer, hernquist, nfw, king, isochrone, dehnen, einasto] as const),
  ...([exponentialDisk, kuzminDisk, mestelDisk] as const),
  ...([uniform, uniformSphere, lattice, planeWave, kepler, snapshot] as const),
] as const;

/** A [[particles]] table of a kind that ships, as checked and with its defaults. */
export type ParticleComponent = z.output<(typeof shipped)[number]["schema"]>;
/** The same as a program writes it: what has a default may be left out. */
export type DeckComponent = z.input<(typeof shipped)[number]["schema"]>;
export type ComponentOf<Kind extends ParticleComponent["kind"]> = Extract<ParticleComponent, { kind: Kind }>;

export const models = new Registry<InitialModel>("initial model", shipped satisfies readonly InitialModel[]);

/** From then on decks may have components of this kind. Throws "usage" when the name is taken. */
export function registerModel(model: InitialModel): void {
  models.add(model);
}

export function modelOf({ kind }: { kind: string }): InitialModel {
  return models.get(kind);
}
