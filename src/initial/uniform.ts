/**
 * Particles uniformly at random in a cube, with Gaussian velocities: the paper's third kind of initial conditions.
 * Source: Aubert, Amini & David 2009, section 3.1.
 */
import type { Draw } from "./model.ts";

/** `side` of the cube [length], one-dimensional `velocityDispersion` [velocity]. */
export function uniformDraw(model: { side: number; velocityDispersion: number }): Draw {
  const { side, velocityDispersion } = model;
  return (random, point) => {
    for (let axis = 0; axis < 3; axis++) point[axis] = (random.uniform() - 0.5) * side;
    for (let axis = 3; axis < 6; axis++) point[axis] = velocityDispersion * random.normal();
  };
}
