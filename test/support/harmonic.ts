/** Harmonic potential, flattened along z: φ = ½ ω² (x² + y² + z²/q²) with ω = v/R. No sphere, so all vectors its own. */
import { deckKeys, externalPotential } from "../../src/index.ts";

const { positive, required } = deckKeys;

interface Harmonic {
  speed: number;
  radius: number;
  flattening: number;
}

const stiffness = ({ speed, radius, flattening }: Readonly<Harmonic>) => {
  const square = (speed / radius) ** 2;
  return [square, square, square / flattening ** 2];
};

export const harmonic = externalPotential({
  name: "flat-harmonic",
  meaning: "Harmonic potential, φ = ½ (v/R)² (x² + y² + z²/q²)",
  keys: {
    speed: required(positive, { unit: "velocity", meaning: "circular speed v at R" }),
    radius: required(positive, { unit: "length", meaning: "radius R" }),
    flattening: required(positive, { meaning: "axis ratio q of the potential" }),
  },
  formula: {
    potential: (p: Readonly<Harmonic>, x) => stiffness(p).reduce((sum, k, axis) => sum + 0.5 * k * x[axis] ** 2, 0),
    acceleration(p: Readonly<Harmonic>, x, out) {
      stiffness(p).forEach((k, axis) => {
        out[axis] = -k * x[axis];
      });
    },
    derivatives(p: Readonly<Harmonic>, x, v, a, out) {
      stiffness(p).forEach((k, axis) => {
        [out[axis], out[3 + axis], out[6 + axis]] = [-k * x[axis], -k * v[axis], -k * a[axis]];
      });
    },
  },
  kernel: {
    path: "test/support/harmonic.ts",
    text: `//#expects FlatHarmonic
fn flatHarmonicStiffness(p: FlatHarmonic) -> vec3f {
  let rate = p.speed / p.radius;
  return rate * rate * vec3f(1.0, 1.0, 1.0 / (p.flattening * p.flattening));
}

fn flatHarmonicField(p: FlatHarmonic, d: vec3f) -> vec4f {
  let k = flatHarmonicStiffness(p);
  return vec4f(-k * d, 0.5 * dot(k, d * d));
}

fn flatHarmonicForces(p: FlatHarmonic, x: vec3f, v: vec3f, a: vec3f) -> PathDerivatives {
  let k = flatHarmonicStiffness(p);
  return PathDerivatives(-k * x, -k * v, -k * a);
}
`,
  },
});
