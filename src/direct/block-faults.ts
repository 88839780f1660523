/** What ends a run of the block loop: noted on the GPU with the particle, turned into errors on the host. */

import { GravmeshError } from "../base/errors.ts";
import type { DirectProgress } from "./control.ts";
import { integrators } from "./integrators.ts";
import type { DirectPipelineSettings } from "./settings.ts";

export const NOWHERE = "NaN or infinity; look for it in the initial conditions, or try a shorter time.step";

/** Throws "numerical" for the first particle with a fault. */
export function throwIfFaulty(progress: DirectProgress, settings: DirectPipelineSettings): void {
  const { notFinite, tooShort, steps } = progress;
  const time = steps * settings.step;
  if (notFinite !== undefined) {
    throw new GravmeshError("numerical", `${placeOf(notFinite, time)}: expected a finite place, found ${NOWHERE}`);
  }
  if (tooShort !== undefined) throw stepTooShort(tooShort, time, settings);
}

/** For a particle whose step is less than a tick; `time` since the pipeline's beginning. */
export function stepTooShort(particle: number, time: number, { step, direct }: DirectPipelineSettings): GravmeshError {
  const advice = [
    direct.softening > 0 ? "a larger direct.softening" : "a direct.softening above 0",
    `a larger ${integrators[direct.integrator].accuracy.map((key) => `direct.${key}`).join(" or ")}`,
    ...(direct.precision === "single" ? ['direct.precision = "double-single"'] : []),
    "a shorter time.step",
  ];
  return new GravmeshError(
    "numerical",
    `${placeOf(particle, time)}: expected a time step of at least 2^-30 of the largest, ${(step / 2 ** 30).toPrecision(3)}, found a shorter one; it is likely in a close pair: try ${advice.join(", or ")}`,
  );
}

function placeOf(particle: number, time: number): string {
  return `direct sum, time ${time.toPrecision(6)} since its start, particle ${particle}`;
}
