/**
 * Sphere of uniform density, cold or as warm as its virial ratio 2K/|W| says: σ² = (2K/|W|) GM/5R along each axis, from
 * W = −3GM²/5R, Gaussian. A cold one collapses at t = π √(R³/8GM), to a size that the discreteness of its particles sets.
 * Sources: Aarseth, Lin & Papaloizou 1988, ApJ 324, 288; Joyce, Marcos & Sylos Labini 2009, MNRAS 397, 775.
 */
import { nonNegative, optional, positive, required } from "../../foundation/deck/keys.ts";
import { type Draw, setIsotropic } from "./draw.ts";
import { centre, count, mass } from "./keys.ts";
import { initialModel } from "./model.ts";
import type { ScaledProfile } from "./profiles.ts";

export const uniformSphere = initialModel({
  name: "uniform-sphere",
  meaning: "Sphere of uniform density, cold unless virialRatio says otherwise: it collapses",
  species: "stars",
  keys: {
    count,
    mass,
    radius: required(positive, { unit: "length", meaning: "radius R of the sphere" }),
    virialRatio: optional(nonNegative, 0, {
      meaning: "2K/|W| of the sphere by itself, Gaussian velocities: 0 is cold, 1 has the energy of an equilibrium",
    }),
    centre,
  },
  scales: ["radius"],
  extent: { reach: ({ radius }) => radius, keys: ["radius"] },
  profile: (sphere) => uniformProfile(sphere.mass, sphere.radius),
  particles({ mass: total, radius, virialRatio }, { G }): Draw {
    const dispersion = Math.sqrt((virialRatio * G * total) / (5 * radius));
    return (random, point) => {
      setIsotropic(random, radius * Math.cbrt(1 - random.uniform()), point, 0);
      for (let axis = 3; axis < 6; axis++) point[axis] = dispersion > 0 ? dispersion * random.normal() : 0;
    };
  },
});

function uniformProfile(mass: number, radius: number): ScaledProfile {
  return {
    scale: radius,
    mass: (r) => mass * Math.min(1, r / radius) ** 3,
    density: (r) => (r < radius ? (3 * mass) / (4 * Math.PI * radius ** 3) : 0),
    depth: (r) => (r < radius ? (mass * (3 - (r / radius) ** 2)) / (2 * radius) : mass / r),
  };
}
