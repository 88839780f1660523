/**
 * Hermite integrator of 4th order (Makino & Aarseth 1992; Portegies Zwart+ 2007, eqs. 3–8). With h = dt/2,
 * A± = a₁ ± a₀, J± = (j₁ ± j₀)h:
 *   predict  x + vt + at²/2 + jt³/6, v + at + jt²/2
 *   correct  v₁ = v₀ + h(A₊ − J₋/3), x₁ = x₀ + h(v₀ + v₁) − h²A₋/3
 * and at the end of the step, for the criterion, crackle c = 3(J₊ − A₋)/2h³ and snap s = J₋/2h² + hc.
 * The position is Nitadori & Makino's (2008, eq. 3); Portegies Zwart+ eq. 7 adds c dt⁵/720, below the scheme's order.
 */
import kernelWgsl from "../../../../wgsl/engine/direct/lib/hermite-4.wgsl";
import { hermite4FirstStep, hermite4Step, norm } from "./criteria.ts";
import type { Integrator } from "./integrator.ts";

export const hermite4 = {
  title: "Hermite 4",
  order: "jerk",
  start: ["jerk"],
  keeps: ["jerks"],
  accuracy: ["nu"],
  gpu: { source: kernelWgsl, derivativeBytes: 64 },
  float64: ({ nu }) => ({
    predict({ positions: x, velocities: v, accelerations: a, jerks: j }, i, t, out) {
      for (let k = 3 * i; k < 3 * i + 3; k++) {
        out.positions[k] = x[k] + t * (v[k] + (t / 2) * (a[k] + (t / 3) * j[k]));
        out.velocities[k] = v[k] + t * (a[k] + (t / 2) * j[k]);
      }
    },
    correct({ positions: x, velocities: v, accelerations: a, jerks: j }, i, dt, { forces }, slot) {
      const h = dt / 2;
      let snap2 = 0;
      let crackle2 = 0;
      for (let k = 3 * i, f = 3 * slot; k < 3 * i + 3; k++, f++) {
        const a1 = forces.accelerations[f];
        const j1 = forces.jerks![f];
        const aSum = a1 + a[k];
        const aChange = a1 - a[k];
        const jSum = h * (j1 + j[k]);
        const jChange = h * (j1 - j[k]);
        const v1 = v[k] + h * (aSum - jChange / 3);
        x[k] += h * (v[k] + v1) - (h * h * aChange) / 3;
        v[k] = v1;
        a[k] = a1;
        j[k] = j1;
        const crackle = (1.5 * (jSum - aChange)) / (h * h * h);
        const snap = jChange / (2 * h * h) + h * crackle;
        crackle2 += crackle * crackle;
        snap2 += snap * snap;
      }
      return hermite4Step(nu, norm(a, 3 * i), norm(j, 3 * i), Math.sqrt(snap2), Math.sqrt(crackle2));
    },
    firstStep({ accelerations, jerks }, i) {
      return hermite4FirstStep(nu, norm(accelerations, 3 * i), norm(jerks, 3 * i));
    },
  }),
} as const satisfies Integrator;
