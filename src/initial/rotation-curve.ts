/**
 * Rotation curve of an exponential disk with sech²(z/z0) layers, by the Hankel transform of its potential:
 *   vc²(R) = 2πGR ∫₀^∞ S(k) I(k) J1(kR) k dk,   S(k) = Σ0 Rd² (1 + k²Rd²)^{−3/2},
 *   I(k) = ∫∫ ζ(z) ζ(z') e^{−k|z−z'|} dz dz' = 2 ∫₀^∞ e^{−k z0 u} (u coth u − 1)/sinh² u du,   ζ = sech²(z/z0)/2z0.
 * The radial force is thus the mean over the layer, which is what the vertically integrated Jeans equation asks for;
 * in the midplane it is a little stronger. For z0 = 0 the curve is Freeman's,
 *   vc² = 4πGΣ0Rd y² [I0(y)K0(y) − I1(y)K1(y)], y = R/2Rd.
 * Sources: Binney & Tremaine 2008, section 2.6.2 and eq 2.165; Freeman 1970; J1 from Abramowitz & Stegun, 9.4.4 and 9.4.6.
 */

/** Wavenumbers go up to this many inverse scale lengths, in steps of this many. */
const LAST_WAVENUMBER = 400;
const WAVENUMBER_STEP = 0.02;
/** Points of the curve over the radius, denser near the centre. */
const RADIUS_POINTS = 160;

/** Returns vc² [velocity²] of the disk alone as a function of R [length], for 0 ≤ R ≤ `outermost`. */
export function diskRotationCurve(
  disk: { centralSurfaceDensity: number; scaleLength: number; scaleHeight: number },
  outermost: number,
  G: number,
): (R: number) => number {
  const { scaleLength, centralSurfaceDensity } = disk;
  const thickness = disk.scaleHeight / scaleLength;
  // Fewer than ten points to a period of J1 would alias at the largest radius.
  const step = Math.min(WAVENUMBER_STEP, (0.6 * scaleLength) / outermost);
  const count = Math.ceil(LAST_WAVENUMBER / step);
  const layer = meanLayer();
  const spectrum = new Float64Array(count + 1);
  for (let j = 0; j <= count; j++) {
    const k = j * step;
    const simpson = j === 0 || j === count ? 1 : j % 2 === 1 ? 4 : 2;
    // A smooth end of the spectrum keeps the cut from ringing.
    const taper = Math.cos((0.5 * Math.PI * j) / count) ** 2;
    spectrum[j] = ((simpson * step) / 3) * k * (1 + k * k) ** -1.5 * layer(k * thickness) * taper;
  }
  const x = (i: number) => (outermost / scaleLength) * (i / (RADIUS_POINTS - 1)) ** 2;
  const values = Float64Array.from({ length: RADIUS_POINTS }, (_, i) => {
    let sum = 0;
    const argument = x(i) * step;
    for (let j = 1; j <= count; j++) sum += spectrum[j] * besselJ1(j * argument);
    return 2 * Math.PI * G * centralSurfaceDensity * scaleLength * x(i) * sum;
  });
  // Cubic through four points of the index √R, in which the curve is smooth.
  return (R) => {
    const position = Math.sqrt(Math.max(0, R) / outermost) * (RADIUS_POINTS - 1);
    const i = Math.min(RADIUS_POINTS - 3, Math.max(1, Math.floor(position)));
    const t = position - i;
    return (
      (-t * (t - 1) * (t - 2) * values[i - 1] + 3 * (t + 1) * (t - 1) * (t - 2) * values[i]) / 6 +
      (-3 * (t + 1) * t * (t - 2) * values[i + 1] + (t + 1) * t * (t - 1) * values[i + 2]) / 6
    );
  };
}

/** Returns I as a function of a = k z0: 1 for a razor-thin disk, falling as 2/3a. */
function meanLayer(): (a: number) => number {
  // (u coth u − 1)/sinh² u is the layer's correlation with itself: 1/3 at u = 0, negligible beyond the last point.
  const step = 0.02;
  const correlation = Float64Array.from({ length: 700 }, (_, j) => {
    const u = j * step;
    const simpson = (j === 0 ? 1 : j % 2 === 1 ? 4 : 2) * (step / 3);
    return 2 * simpson * (j === 0 ? 1 / 3 : (u / Math.tanh(u) - 1) / Math.sinh(u) ** 2);
  });
  return (a) => {
    const ratio = Math.exp(-a * step);
    let factor = 1;
    let sum = 0;
    for (const value of correlation) {
      sum += value * factor;
      factor *= ratio;
    }
    return sum;
  };
}

/** Bessel function of the first kind, order 1, for x ≥ 0; error below 1e-7. */
export function besselJ1(x: number): number {
  if (x < 3) {
    const y = (x * x) / 9;
    const even =
      0.5 +
      y * (-0.56249985 + y * (0.21093573 + y * (-0.03954289 + y * (0.00443319 + y * (-0.00031761 + y * 0.00001109)))));
    return x * even;
  }
  const y = 3 / x;
  const amplitude =
    0.79788456 +
    y * (0.00000156 + y * (0.01659667 + y * (0.00017105 + y * (-0.00249511 + y * (0.00113653 - y * 0.00020033)))));
  const phase =
    x -
    2.35619449 +
    y * (0.12499612 + y * (0.0000565 + y * (-0.00637879 + y * (0.00074348 + y * (0.00079824 - y * 0.00029166)))));
  return (amplitude * Math.cos(phase)) / Math.sqrt(x);
}
