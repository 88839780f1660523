/**
 * Spherical logarithmic potential, whose circular speed becomes constant: as a program that uses the library adds one of its own.
 *   φ = ½ v₀² ln(r² + r_c²),  f = −v₀²/(r² + r_c²)
 * Source: Binney & Tremaine 2008, eq. 2.71a, with q = 1.
 */
import { deckKeys, externalPotential, jets, spherical } from "../../src/index.ts";

const { nonNegative, positive, required } = deckKeys;
const { quotient, shifted } = jets;

export const logarithmic = externalPotential({
  name: "round-logarithmic",
  meaning: "Logarithmic potential, φ = ½ v₀² ln(r² + r_c²) (Binney & Tremaine 2008, eq. 2.71a)",
  keys: {
    speed: required(positive, { unit: "velocity", meaning: "circular speed v₀ far out" }),
    core: required(nonNegative, { unit: "length", meaning: "core radius r_c" }),
  },
  formula: spherical({
    potential: ({ speed, core }, r2) => 0.5 * speed ** 2 * Math.log(r2 + core ** 2),
    strength: ({ speed, core }, r2) => quotient(-(speed ** 2), shifted(r2, core ** 2)),
  }),
  kernel: {
    path: "test/support/logarithmic.ts",
    text: `//#expects RoundLogarithmic
fn roundLogarithmicField(p: RoundLogarithmic, d: vec3f) -> vec4f {
  let square = dot(d, d) + p.core * p.core;
  return vec4f(d * (-p.speed * p.speed / square), 0.5 * p.speed * p.speed * log(square));
}

fn roundLogarithmicStrength(p: RoundLogarithmic, r2: vec3f) -> vec3f {
  return -p.speed * p.speed * jetInverse(jetShifted(r2, p.core * p.core));
}
`,
  },
});
