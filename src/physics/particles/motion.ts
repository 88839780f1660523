/** Moves that are refused in a step of the mesh: in fixed point the place would be ambiguous; the CPU refuses the same. */
import { LARGEST_IMAGE } from "./fixed-point.ts";

export const TOO_FAR_IN_A_STEP = 0.5;

export const MOTION_FAULTS = {
  notFinite:
    "expected finite velocities, found NaN or infinity; look for it in the initial conditions, or try a shorter time.step",
  tooFarInAStep: "a particle moved half a box or more in one step, so its place can't be told; try a shorter time.step",
  tooFarOut: `a particle is more than ${LARGEST_IMAGE} boxes away from the mesh; try a shorter time.step or a larger box.size`,
} as const;
export type MotionFault = keyof typeof MOTION_FAULTS;
