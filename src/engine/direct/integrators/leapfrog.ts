/**
 * Kick–drift–kick leapfrog (Quinn et al. 1997), written as predictor and corrector: with positions and velocities of
 * one time between steps, h = dt/2,
 *   predict  x + vt + at²/2, v + at            (half kick and drift; at the end of the step the final place)
 *   correct  v₁ = v₀ + h(a₀ + a₁)              (both half kicks)
 */
import kernelWgsl from "../../../../wgsl/engine/direct/lib/hermite-leapfrog.wgsl";
import { leapfrogStep, norm } from "./criteria.ts";
import type { Float64Integrator, Integrator, Orbits, StepAccuracy } from "./integrator.ts";

export const leapfrog = {
  title: "leapfrog",
  order: "acceleration",
  start: ["acceleration"],
  keeps: [],
  accuracy: ["nu"],
  stepsNeedSoftening: true,
  gpu: { source: kernelWgsl, derivativeBytes: 32 },
  float64,
} as const satisfies Integrator;

function float64({ nu, softening }: StepAccuracy): Float64Integrator {
  const step = (orbits: Orbits, i: number) => leapfrogStep(nu, softening, norm(orbits.accelerations, 3 * i));
  return {
    predict({ positions: x, velocities: v, accelerations: a }, i, time, out) {
      for (let k = 3 * i; k < 3 * i + 3; k++) {
        out.positions[k] = x[k] + time * (v[k] + (time / 2) * a[k]);
        out.velocities[k] = v[k] + time * a[k];
      }
    },
    correct(orbits, i, dt, { predicted, forces }, slot) {
      const { positions, velocities, accelerations } = orbits;
      for (let k = 3 * i, f = 3 * slot; k < 3 * i + 3; k++, f++) {
        positions[k] = predicted.positions[k];
        velocities[k] += (dt / 2) * (accelerations[k] + forces.accelerations[f]);
        accelerations[k] = forces.accelerations[f];
      }
      return step(orbits, i);
    },
    firstStep: step,
  };
}
