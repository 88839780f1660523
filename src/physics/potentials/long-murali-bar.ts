/**
 * Bar of finite mass: a needle of half-length a, softened (Long & Murali 1992, eq. 8). In the frame of its long axis, with
 * h = √(z² + c²), q = y² + (b + h)², T± = √((a ± x)² + q), P = T₊T₋ and Σ = T₊ + T₋:
 *   φ = −(GM/2a) ln((Σ + 2a)/(Σ − 2a)),  f_x = −2GM/(PΣ),  f_y = −GM (Σ² − 4x²)/(2PΣq),  f_z = f_y (b + h)/h
 * P² = (x² − a² + q)² + 4a²q, and what would lose digits far out on the axis is taken by its conjugate.
 */
import kernel from "../../../wgsl/physics/potentials/long-murali-bar.wgsl";
import { nonNegative, positive, required } from "../../foundation/deck/keys.ts";
import { symmetric } from "./formula.ts";
import { difference, inverse, product, root, scaled, shifted, sum } from "./jets.ts";
import { externalPotential } from "./potential.ts";

export const longMuraliBar = externalPotential({
  name: "long-murali-bar",
  meaning: "Bar of finite mass: a softened needle along x (Long & Murali 1992)",
  turns: true,
  keys: {
    mass: required(positive, { unit: "mass", meaning: "total mass M" }),
    halfLength: required(positive, { unit: "length", meaning: "half-length a of the needle" }),
    width: required(nonNegative, { unit: "length", meaning: "softening b, which makes the bar wide and flat" }),
    height: required(positive, { unit: "length", meaning: "softening c; with b = 0 the bar is as high as wide" }),
  },
  formula: symmetric({
    round: () => false,
    potential({ mass, halfLength: a, width, height }, x2, y2, z2) {
      const q = y2 + (width + Math.sqrt(z2 + height * height)) ** 2;
      const inner = x2 - a * a + q;
      const pair = Math.sqrt(inner * inner + 4 * a * a * q);
      const both = Math.sqrt(2 * (x2 + a * a + q + pair));
      const beyond = 2 * (inner > 0 ? pair + inner : (4 * a * a * q) / (pair - inner)); // Σ² − 4a²
      return (-mass / (2 * a)) * Math.log1p((4 * a * (both + 2 * a)) / beyond);
    },
    strengths({ mass, halfLength: a, width, height }, [x2, y2, z2]) {
      const a2 = a * a;
      const high = root(shifted(z2, height * height));
      const depth = shifted(high, width);
      const q = sum(y2, product(depth, depth));
      const inner = sum(shifted(x2, -a2), q);
      const pair = root(sum(product(inner, inner), scaled(q, 4 * a2)));
      const both = root(scaled(shifted(sum(sum(x2, q), pair), a2), 2));
      const alongX = scaled(inverse(product(pair, both)), -2 * mass);
      // (Σ² − 4x²)/4q, where the difference loses digits by (Σ² − 4x²) (P + x² − a² − q) = 8x²q
      const outer = difference(shifted(x2, -a2), q);
      const share =
        outer[0] > 0
          ? scaled(product(x2, inverse(sum(pair, outer))), 2)
          : scaled(product(difference(pair, outer), inverse(q)), 0.5);
      const alongY = product(alongX, share);
      return [alongX, alongY, product(alongY, product(depth, inverse(high)))];
    },
  }),
  kernel,
});
