/**
 * Softened forces of a pair: Plummer's, or that of a cubic spline of mass (Monaghan & Lattanzio 1985) of radius h = 2.8 ε, which
 * is Newton's from h on and has the depth of Plummer's in the middle (Springel, Yoshida & White 2001, appendix). With u = r/h and
 *   M(<u) = u³ (32/3 − 38.4 u² + 32 u³) below 1/2, 1 − w⁴ (16 − 25.6 w + 32/3 w²) above, w = max(0, 1 − u)
 *   −φ = Gm (2.8 − 16/3 u² + 9.6 u⁴ − 6.4 u⁵)/h below 1/2, Gm [M/u + w⁴ (16 − 12.8 w)]/h above
 */

export const SOFTENING_KERNELS = ["plummer", "spline"] as const;
export type SofteningKernel = (typeof SOFTENING_KERNELS)[number];

export interface Softening {
  /** ε [length]; 0: forces are Newton's. */
  softening: number;
  /** Plummer's unless given. */
  softeningKernel?: SofteningKernel | undefined;
}

/** A comoving ε at a scale factor, of at most a physical length [length]; in a static run, at 0, the same (Springel et al. 2021, § 2.4). */
export const softeningAt = (
  { softening, maxPhysicalSoftening = Number.POSITIVE_INFINITY }: { softening: number; maxPhysicalSoftening?: number },
  a: number,
): number => Math.min(softening, maxPhysicalSoftening / a);

/** Radius of the spline over ε. */
export const SPLINE_RADIUS = 2.8;

/** The radius from which on forces are Newton's [length]; 0: they are Plummer's. */
export const splineRadius = ({ softening, softeningKernel }: Softening): number =>
  softeningKernel === "spline" ? SPLINE_RADIUS * softening : 0;

/** A = Gm f r, φ = −Gm·depth; with α = q r·v and β = q (v² + r·a) + b (r·v)² jerk and snap are as with Plummer's (forces.ts). */
export interface PairLaw {
  depth: number;
  f: number;
  q: number;
  b: number;
}

/** Of a pair at r² [length²], by either kernel. */
export function pairLaw(square: number, softening: Softening): PairLaw {
  const radius = splineRadius(softening);
  const inverse = 1 / Math.sqrt(square + (radius > 0 ? 0 : softening.softening ** 2));
  const law = { depth: inverse, f: inverse ** 3, q: inverse ** 2, b: inverse ** 4 };
  if (square < radius * radius) splineLaw(square, radius, law);
  return law;
}

/** Of a spline of radius h at r², where r < h [length]. */
export function splineLaw(square: number, h: number, out: PairLaw): void {
  const u = Math.sqrt(square) / h;
  const h2 = h * h;
  if (u < 0.5) {
    const mass = 32 / 3 + u * u * (32 * u - 38.4); // M/u³
    out.depth = (2.8 - u * u * (16 / 3 + u * u * (6.4 * u - 9.6))) / h;
    out.f = mass / (h2 * h);
    out.q = (25.6 - 32 * u) / (mass * h2);
    out.b = u > 0 ? 6 * out.q ** 2 - 32 / (u * mass * h2 * h2) : 0;
    return;
  }
  const w = 1 - u;
  const w4 = w ** 4;
  const mass = 1 - w4 * (16 + w * ((32 / 3) * w - 25.6));
  out.depth = (mass / u + w4 * (16 - 12.8 * w)) / h;
  out.f = mass / (u ** 3 * h2 * h);
  out.q = (1 / u ** 2 - ((64 / 3) * w ** 3 * u) / mass) / h2;
  out.b = 6 * out.q ** 2 + (-5 / u ** 4 + (w * w * (64 + ((320 / 3) * w) / u)) / mass) / (h2 * h2);
}
