/** Particles at random in a cube, with Gaussian velocities. Source: Aubert, Amini & David 2009, section 3.1. */
import { derived, nonNegative, optional, positive } from "../../foundation/deck/keys.ts";
import type { Draw } from "./draw.ts";
import { count, mass, ofBox } from "./keys.ts";
import { initialModel } from "./model.ts";

export const uniform = initialModel({
  name: "uniform",
  meaning: "Random positions in a cube, Gaussian velocities (Aubert, Amini & David 2009, §3.1)",
  species: "stars",
  keys: {
    count,
    mass,
    velocityDispersion: optional(nonNegative, 0, { unit: "velocity", meaning: "dispersion along one axis, Gaussian" }),
    side: derived(positive, ofBox(1, "box.size"), { unit: "length", meaning: "side of the cube that is filled" }),
  },
  scales: ["side"],
  extent: { reach: ({ side }) => side / 2, keys: ["side"], width: true },
  particles({ side, velocityDispersion }): Draw {
    return (random, point) => {
      for (let axis = 0; axis < 3; axis++) point[axis] = (random.uniform() - 0.5) * side;
      for (let axis = 3; axis < 6; axis++) point[axis] = velocityDispersion * random.normal();
    };
  },
});
