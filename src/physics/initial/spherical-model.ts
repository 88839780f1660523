/** The record of a spherical model from its density alone; a rigid one is an external potential. */
import type { z } from "zod";
import { optional, positive, positiveOrInfinite, required } from "../../foundation/deck/keys.ts";
import type { Species } from "../particles/state.ts";
import type { Draw } from "./draw.ts";
import { centre, countUnlessRigid, cutoffFrom, profileMass, rigid } from "./keys.ts";
import { initialModel, type ModelTable } from "./model.ts";
import type { SphericalShape } from "./profiles.ts";
import { sphereDraw } from "./sphere.ts";

export interface SphericalDefinition<
  N extends string,
  K extends SphereKeyChoice = GivenScales,
  P extends ShapeKeys = NoShapeKeys,
> {
  name: N;
  /** One line, no full stop, with the source. */
  meaning: string;
  /** Species of the particles, unless the deck says otherwise. */
  species: Species;
  /** `mass` M [mass] and scale radius `a` [length], before any cut-off, and what `shapeKeys` has besides. */
  shape(mass: number, a: number, keys: Readonly<Record<keyof P, number>>): SphericalShape;
  /** Keys of the shape, other than mass and scale: a slope, a concentration. */
  shapeKeys?: P;
  /** Name of the external potential that a rigid one is, with its `mass`, `scale` and the keys of its shape. */
  potential?: string;
  /** What the key `mass` of a live sphere is: that of the profile to infinity, the default, or that of its particles. */
  massOf?: "profile" | "particles";
  /** Instead of the keys `mass` and `scale` that have to be given, and of the usual `cutoff`. */
  keys?: K;
  /** A closed form, for an isotropic component that shares its centre with no other. */
  alone?(component: Scales & { cutoff: number }, G: number): Draw;
}

export type Scales = Record<"mass" | "scale", number>;
export type SphereKeys = ReturnType<typeof sphereKeys>;
export type SphereKeyChoice = Record<keyof Scales, z.ZodNumber> & { cutoff?: SphereKeys["cutoff"] };
/** Those that a deck has to give. */
export type GivenScales = Pick<SphereKeys, keyof Scales>;
export type ShapeKeys = Record<string, z.ZodType<number>>;
export type NoShapeKeys = Record<never, z.ZodType<number>>;

const radiusKey = required(positive, { unit: "length", meaning: "scale radius a" });
const cutoffKey = cutoffFrom(
  "scale",
  10,
  "no particle lies beyond this radius at the start (docs/models.md); unused if rigid",
);

const sphereKeys = (mass = profileMass, scale = radiusKey, cutoff = cutoffKey) => ({
  count: countUnlessRigid,
  mass,
  scale,
  cutoff,
  anisotropyRadius: optional(positiveOrInfinite, Number.POSITIVE_INFINITY, {
    unit: "length",
    meaning: "Osipkov–Merritt: orbits become radial outside it, β = r²/(r² + r_a²); inf is isotropic; unused if rigid",
  }),
  ...{ centre, rigid },
});

/** A record for the list of models.ts, or for registerModel(). */
export function sphericalModel<
  const N extends string,
  K extends SphereKeyChoice = GivenScales,
  P extends ShapeKeys = NoShapeKeys,
>(definition: SphericalDefinition<N, K, P>) {
  const { name, meaning, species, shape, potential, alone, keys, massOf = "profile" } = definition;
  const shapeKeys = (definition.shapeKeys ?? {}) as P;
  const shapeOf = (one: object) =>
    Object.fromEntries(Object.keys(shapeKeys).map((key) => [key, (one as Record<string, number>)[key]])) as Readonly<
      Record<keyof P, number>
    >;
  const { count, mass, scale, ...rest } = sphereKeys(keys?.mass, keys?.scale, keys?.cutoff);
  const model = initialModel({
    name: name as string,
    meaning,
    species,
    keys: { count, mass, scale, ...(shapeKeys as NoShapeKeys), ...rest },
    scales: ["scale"],
    extent: { reach: ({ cutoff }) => cutoff, keys: ["cutoff"] },
    sphere: (one) => ({
      // Where tracers are doesn't depend on a mass.
      ...{ name: one.name, shape: shape(one.mass || 1, one.scale, shapeOf(one)), cutoff: one.cutoff },
      ...(one.mass === 0 ? { massless: true } : massOf === "particles" && { mass: one.mass }),
      ...(one.anisotropyRadius < Number.POSITIVE_INFINITY && { anisotropyRadius: one.anisotropyRadius }),
    }),
    ...(potential && {
      potential: (one: Scales) => ({
        kind: potential,
        parameters: { mass: one.mass, scale: one.scale, ...shapeOf(one) },
      }),
    }),
    particles: (one, context) =>
      alone && context.alone && one.mass > 0 && one.anisotropyRadius === Number.POSITIVE_INFINITY
        ? alone(one, context.G)
        : sphereDraw(context.equilibrium(), context.G),
  });
  type Keys = Omit<SphereKeys, keyof Scales> & Pick<K, keyof Scales> & P;
  return { ...model, name, schema: model.schema as unknown as ModelTable<N, Keys> };
}
