/**
 * Jaffe sphere, ρ = M a/(4π r² (r + a)²), M(r) = M r/(r + a), as a program that uses the library adds one of its own: a model
 * that particles are drawn from, and the external potential that a rigid one is,
 *   φ = (GM/a) ln(r/(r + a)),  f = −GM/(r² (r + a)).
 * Source: Jaffe 1983, MNRAS 202, 995, eqs 1, 2.
 */
import { deckKeys, externalPotential, type SphericalShape, spherical, sphericalModel } from "../../src/index.ts";

export const jaffe = sphericalModel({
  name: "jaffe",
  meaning: "Jaffe sphere in equilibrium, ρ = M a/(4π r² (r + a)²) (Jaffe 1983)",
  species: "bulge",
  shape: jaffeShape,
  potential: "jaffe",
});

/** `mass` M [mass], `a` [length]; the central potential is infinite. */
export function jaffeShape(mass: number, a: number): SphericalShape {
  return {
    scale: a,
    mass: (r) => (mass * r) / (r + a),
    density: (r) => (mass * a) / (4 * Math.PI * (r * (r + a)) ** 2),
    depth: (r) => (mass / a) * Math.log1p(a / r),
    slope: (r) => -2 - (2 * r) / (r + a),
    slopeGradient: (r) => (-2 * a * r) / (r + a) ** 2,
  };
}

const { positive, required } = deckKeys;

export const jaffePotential = externalPotential({
  name: "jaffe",
  meaning: "Jaffe sphere, φ = (GM/a) ln(r/(r + a)) (Jaffe 1983)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    scale: required(positive, { unit: "length", meaning: "scale radius a" }),
  },
  formula: spherical({
    potential: ({ mass, scale }, r2) => (-mass / scale) * Math.log1p(scale / Math.sqrt(r2)),
    strength: ({ mass, scale }, r2) => (r2 === 0 ? 0 : -mass / (r2 * (Math.sqrt(r2) + scale))),
    rates({ mass, scale }, r2, u, w) {
      if (r2 === 0) return [0, 0, 0];
      const r = Math.sqrt(r2);
      const outer = r + scale;
      const f = -mass / (r2 * outer);
      const slope = -(3 * r + 2 * scale) / (r * outer);
      const curvature = (12 * r2 + 16 * r * scale + 6 * scale * scale) / (r2 * outer * outer);
      const speed = u / r;
      return [f, f * slope * speed, f * (curvature * speed * speed + (slope * (w - speed * speed)) / r)];
    },
  }),
  kernel: {
    path: "jaffe.wgsl",
    text: `//#expects Jaffe
fn jaffeField(p: Jaffe, d: vec3f) -> vec4f {
  let r = max(length(d), 1e-12);
  return vec4f(d * (-p.mass / (r * r * (r + p.scale))), p.mass / p.scale * log(r / (r + p.scale)));
}
fn jaffeRates(p: Jaffe, r2: f32, u: f32, w: f32) -> vec3f {
  if (r2 == 0.0) { return vec3f(0.0); }
  let r = sqrt(r2);
  let a = p.scale;
  let outer = r + a;
  let slope = -(3.0 * r + 2.0 * a) / (r * outer);
  let curvature = (12.0 * r2 + 16.0 * r * a + 6.0 * a * a) / (r2 * outer * outer);
  let speed = u / r;
  return -p.mass / (r2 * outer) * vec3f(1.0, slope * speed, curvature * speed * speed + slope * (w - speed * speed) / r);
}
`,
  },
});
