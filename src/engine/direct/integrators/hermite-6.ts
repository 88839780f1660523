/**
 * Hermite integrator of 6th order (Nitadori & Makino 2008, section 2). With h = dt/2, A± = a₁ ± a₀, J± = (j₁ ± j₀)h,
 * S± = (s₁ ± s₀)h²:
 *   predict  Taylor: x to t⁵, v to t⁴, a to t³ (from snap and crackle)
 *   correct  v₁ = v₀ + h(A₊ − ⅖J₋ + S₊/15), x₁ = x₀ + h(v₀ + v₁) + h²(−⅖A₋ + J₊/15)
 * and half way c = ¾h⁻³(−5A₋ + 5J₊ − S₋), a4 = 1.5h⁻⁴(−J₋ + S₊), a5 = 7.5h⁻⁵(3A₋ − 3J₊ + S₋), carried on to the end
 * by Taylor. At the start the crackle is taken as 0, which costs the first prediction one order.
 */
import kernelWgsl from "../../../../wgsl/engine/direct/lib/hermite-6.wgsl";
import { hermite6FirstStep, hermite6Step, norm } from "./criteria.ts";
import type { Integrator } from "./integrator.ts";

export const hermite6 = {
  title: "Hermite 6",
  order: "snap",
  // The snap needs the acceleration first.
  start: ["jerk", "snap"],
  keeps: ["jerks", "snaps", "crackles"],
  accuracy: ["nu", "eta"],
  gpu: { source: kernelWgsl, derivativeBytes: 80 },
  float64: ({ eta }) => ({
    predict({ positions: x, velocities: v, accelerations: a, jerks: j, snaps: s, crackles: c }, i, t, out) {
      for (let k = 3 * i; k < 3 * i + 3; k++) {
        const x4 = j[k] + (t / 4) * (s[k] + (t / 5) * c[k]);
        const v3 = j[k] + (t / 3) * (s[k] + (t / 4) * c[k]);
        out.positions[k] = x[k] + t * (v[k] + (t / 2) * (a[k] + (t / 3) * x4));
        out.velocities[k] = v[k] + t * (a[k] + (t / 2) * v3);
        out.accelerations[k] = a[k] + t * (j[k] + (t / 2) * (s[k] + (t / 3) * c[k]));
      }
    },
    correct(orbits, i, dt, { forces }, slot) {
      const { positions: x, velocities: v, accelerations: a, jerks: j, snaps: s, crackles: c } = orbits;
      const h = dt / 2;
      const h2 = h * h;
      let fourth2 = 0;
      let fifth2 = 0;
      for (let k = 3 * i, f = 3 * slot; k < 3 * i + 3; k++, f++) {
        const a1 = forces.accelerations[f];
        const j1 = forces.jerks![f];
        const s1 = forces.snaps![f];
        const aSum = a1 + a[k];
        const aChange = a1 - a[k];
        const jSum = h * (j1 + j[k]);
        const jChange = h * (j1 - j[k]);
        const sSum = h2 * (s1 + s[k]);
        const sChange = h2 * (s1 - s[k]);
        const v1 = v[k] + h * (aSum - 0.4 * jChange + sSum / 15);
        x[k] += h * (v[k] + v1) + h2 * (jSum / 15 - 0.4 * aChange);
        v[k] = v1;
        a[k] = a1;
        j[k] = j1;
        s[k] = s1;
        const crackle = (0.75 * (5 * (jSum - aChange) - sChange)) / (h * h2);
        const fourth = (1.5 * (sSum - jChange)) / (h2 * h2);
        const fifth = (7.5 * (3 * (aChange - jSum) + sChange)) / (h * h2 * h2);
        c[k] = crackle + h * (fourth + (h / 2) * fifth);
        const fourthAtEnd = fourth + h * fifth;
        fourth2 += fourthAtEnd * fourthAtEnd;
        fifth2 += fifth * fifth;
      }
      const [first, second, third, fourth] = [a, j, s, c].map((vectors) => norm(vectors, 3 * i));
      return hermite6Step(eta, [first, second, third, fourth, Math.sqrt(fourth2), Math.sqrt(fifth2)]);
    },
    firstStep({ accelerations, snaps }, i) {
      return hermite6FirstStep(eta, norm(accelerations, 3 * i), norm(snaps, 3 * i));
    },
  }),
} as const satisfies Integrator;
