/**
 * The record of a spherical model from its density alone: a live one is set up in equilibrium with all that share its
 * centre (sphere.ts), a rigid one is an external potential.
 */
import type { z } from "zod";
import { positive, required } from "../deck/keys.ts";
import type { Species } from "../particles/state.ts";
import { countUnlessRigid, cutoffFrom, profileMass, rigid } from "./keys.ts";
import { type Draw, initialModel, type TableOf } from "./model.ts";
import type { SphericalShape } from "./profiles.ts";
import { sphereDraw } from "./sphere.ts";

export interface SphericalDefinition<N extends string, K extends ScaleKeys = GivenScales> {
  name: N;
  /** One line, no full stop, with the source. */
  meaning: string;
  /** Of the particles, unless the deck says otherwise. */
  species: Species;
  /** `mass` M [mass] and scale radius `a` [length], before any cut-off. */
  shape(mass: number, a: number): SphericalShape;
  /** Name of the external potential that a rigid one is, with its `mass` and `scale`. */
  potential?: string;
  /**
   * What the key `mass` is of a live sphere: that of the profile (the default: the particles then hold what the cut-off
   * leaves, and inside they are the rigid sphere), or that of its particles, to which the profile is scaled.
   */
  massOf?: "profile" | "particles";
  /** Instead of the keys `mass` and `scale` that have to be given. */
  keys?: K;
  /** A closed form, for a component that shares its centre with no other. */
  alone?(component: Scales & { cutoff: number }, G: number): Draw;
}

export interface Scales {
  mass: number;
  scale: number;
}
export type SphereKeys = ReturnType<typeof sphereKeys>;
export type ScaleKeys = Record<keyof Scales, z.ZodNumber>;
/** Those that a deck has to give. */
export type GivenScales = Pick<SphereKeys, keyof Scales>;

const sphereKeys = (mass = profileMass, scale = required(positive, { unit: "length", meaning: "scale radius a" })) => ({
  count: countUnlessRigid,
  mass,
  scale,
  cutoff: cutoffFrom("scale", 10, "no particle lies beyond this radius at the start (docs/models.md); unused if rigid"),
  rigid,
});

/** A record for the list of models.ts, or for registerModel(). */
export function sphericalModel<const N extends string, K extends ScaleKeys = GivenScales>(
  definition: SphericalDefinition<N, K>,
) {
  const { name, meaning, species, shape, potential, alone, keys, massOf = "profile" } = definition;
  const model = initialModel({
    name: name as string,
    meaning,
    species,
    keys: sphereKeys(keys?.mass, keys?.scale),
    scales: ["scale"],
    extent: { reach: ({ cutoff }) => cutoff, keys: ["cutoff"] },
    sphere: (one) => ({
      ...{ name: one.name, shape: shape(one.mass, one.scale), cutoff: one.cutoff },
      ...(massOf === "particles" && { mass: one.mass }),
    }),
    ...(potential && { potential: ({ mass, scale }: Scales) => ({ kind: potential, parameters: { mass, scale } }) }),
    particles: (one, context) =>
      alone && context.alone ? alone(one, context.G) : sphereDraw(context.equilibrium(), context.G),
  });
  return { ...model, name, schema: model.schema as unknown as TableOf<N, Omit<SphereKeys, keyof Scales> & K> };
}
