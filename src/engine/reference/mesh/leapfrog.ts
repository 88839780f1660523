/**
 * Kick and drift of the leapfrog (Quinn et al. 1997, KDK): v += a dt, x += v dt.
 * A periodic box wraps positions into [0, L); an isolated one never does.
 */
import type { Boundary } from "../../../physics/particles/box.ts";
import { LARGEST_IMAGE } from "../../../physics/particles/fixed-point.ts";
import { type MotionFault, TOO_FAR_IN_A_STEP } from "../../../physics/particles/motion.ts";

/** v += a·dt, [3N] each, in place. */
export function kick(velocities: Float64Array, accelerations: Float64Array, dt: number): void {
  for (let i = 0; i < velocities.length; i++) velocities[i] += accelerations[i] * dt;
}

/** x += v·dt, [3N] each, in place, wrapped in a periodic box. */
export function drift(
  positions: Float64Array,
  velocities: Float64Array,
  dt: number,
  boundary: Boundary,
  boxSize: number,
): void {
  if (boundary === "isolated") {
    for (let i = 0; i < positions.length; i++) positions[i] += velocities[i] * dt;
    return;
  }
  for (let i = 0; i < positions.length; i++) positions[i] = wrapIntoBox(positions[i] + velocities[i] * dt, boxSize);
}

/** The first particle that `drift` has moved too far with these arguments, if there is one. */
export function motionFault(
  positions: Float64Array,
  velocities: Float64Array,
  dt: number,
  boundary: Boundary,
  boxSize: number,
): { particle: number; fault: MotionFault } | undefined {
  const far = TOO_FAR_IN_A_STEP * boxSize;
  for (let i = 0; i < positions.length; i++) {
    if (Math.abs(velocities[i] * dt) >= far) return { particle: Math.floor(i / 3), fault: "tooFarInAStep" };
    if (boundary === "isolated" && Math.abs(Math.floor(positions[i] / boxSize)) > LARGEST_IMAGE) {
      return { particle: Math.floor(i / 3), fault: "tooFarOut" };
    }
  }
  return undefined;
}

/** x in [0, L): the subtraction may round up to L itself, which is 0. */
export function wrapIntoBox(x: number, boxSize: number): number {
  if (x >= 0 && x < boxSize) return x;
  const wrapped = x - boxSize * Math.floor(x / boxSize);
  return wrapped >= boxSize || wrapped < 0 ? 0 : wrapped;
}
