/**
 * Jaffe sphere, ρ = M a/(4π r² (r + a)²), M(r) = M r/(r + a), as a program that uses the library adds one of its own: a model
 * that particles are drawn from, and the external potential that a rigid one is,
 *   φ = (GM/a) ln(r/(r + a)),  f = −GM/(r² (r + a)).
 * Source: Jaffe 1983, MNRAS 202, 995, eqs 1, 2.
 */
import { deckKeys, externalPotential, jets, type SphericalShape, spherical, sphericalModel } from "../../src/index.ts";

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
const { product, quotient, root, shifted } = jets;

export const jaffePotential = externalPotential({
  name: "jaffe",
  meaning: "Jaffe sphere, φ = (GM/a) ln(r/(r + a)) (Jaffe 1983)",
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    scale: required(positive, { unit: "length", meaning: "scale radius a" }),
  },
  formula: spherical({
    potential: ({ mass, scale }, r2) => (-mass / scale) * Math.log1p(scale / Math.sqrt(r2)),
    strength: ({ mass, scale }, r2) => quotient(-mass, product(r2, shifted(root(r2), scale))),
  }),
  kernel: {
    path: "jaffe.wgsl",
    text: `//#expects Jaffe
fn jaffeField(p: Jaffe, d: vec3f) -> vec4f {
  let r = max(length(d), 1e-12);
  return vec4f(d * (-p.mass / (r * r * (r + p.scale))), p.mass / p.scale * log(r / (r + p.scale)));
}
fn jaffeStrength(p: Jaffe, r2: vec3f) -> vec3f {
  if (r2.x == 0.0) { return vec3f(); }
  return -p.mass * jetInverse(jetProduct(r2, jetShifted(jetRoot(r2), p.scale)));
}
`,
  },
});
