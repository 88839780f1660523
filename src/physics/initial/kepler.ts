/**
 * Two bodies on a Kepler orbit, at apocentre at the start: r = a(1 + e), v² = GM (1 − e)/(a (1 + e)), in the xy-plane
 * about the centre of mass. The first body, the heavier one, is on the side of −x.
 */
import { z } from "zod";
import { integer, kindOfValue, optional, positive, required } from "../../foundation/deck/keys.ts";
import type { Draw } from "./draw.ts";
import { henonMass } from "./keys.ts";
import { initialModel } from "./model.ts";

const massRatio = kindOfValue(
  () => z.number().positive().max(1),
  "a number above 0, at most 1",
  "number, 0 < ratio ≤ 1",
);
const eccentricity = kindOfValue(
  () => z.number().nonnegative().lt(1),
  "a number from 0 to below 1",
  "number, 0 ≤ e < 1",
);

export const kepler = initialModel({
  name: "kepler",
  meaning: "Two bodies on a Kepler orbit in the xy-plane, at apocentre at the start",
  species: "stars",
  keys: {
    count: optional(integer(2, 2), 2, { meaning: "two bodies" }),
    mass: henonMass,
    massRatio: optional(massRatio, 1, { meaning: "mass of the second body over that of the first" }),
    semiMajorAxis: required(positive, { unit: "length", meaning: "semi-major axis of the relative orbit" }),
    eccentricity: optional(eccentricity, 0, { meaning: "the bodies start at apocentre" }),
  },
  scales: ["semiMajorAxis"],
  // The lighter body, at apocentre.
  extent: { reach: (pair) => apocentre(pair) / (1 + pair.massRatio), keys: ["semiMajorAxis"] },
  massesDiffer: (pair) => pair.massRatio !== 1,
  particles(pair, { G }) {
    const { mass, massRatio, eccentricity } = pair;
    const separation = apocentre(pair);
    const speed = Math.sqrt((G * mass * (1 - eccentricity)) / separation);
    const massShares = [1 / (1 + massRatio), massRatio / (1 + massRatio)];
    const draw: Draw = (random, point) => {
      // Each body's distance from the centre of mass goes with the other's mass.
      const lever = random.index === 1 ? massShares[0] : -massShares[1];
      point.fill(0);
      point[0] = lever * separation;
      point[4] = lever * speed;
    };
    return Object.assign(draw, { massShares });
  },
});

/** Largest separation [length]. */
function apocentre({ semiMajorAxis, eccentricity }: { semiMajorAxis: number; eccentricity: number }): number {
  return semiMajorAxis * (1 + eccentricity);
}
