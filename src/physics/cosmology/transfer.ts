/**
 * Fits to the matter transfer function of cold matter and baryons, Eisenstein & Hu 1998: in full, with the acoustic
 * oscillations (eqs 2–24), and the smooth curve through them (eqs 26, 28–31). T → 1 for k → 0.
 * Inside, wave numbers are in 1/Mpc and lengths in Mpc as in the paper; outside in h/Mpc.
 */
import { type Background, refuse } from "./background.ts";

/** T of a wave number [h/Mpc]. */
export type TransferFunction = (k: number) => number;

/** Numbers that both forms share; names of the paper. */
function inputs({ parameters }: Background) {
  const { h, omegaM, omegaB, tCmb } = parameters;
  return { h, om: omegaM * h * h, ob: omegaB * h * h, fb: omegaB / omegaM, theta: tCmb / 2.7 };
}

/** Scales of the epochs of equality and drag, eqs 2–6. */
function epochs(background: Background) {
  const { om, ob, theta } = inputs(background);
  const zEq = 2.5e4 * om * theta ** -4;
  const kEq = 7.46e-2 * om * theta ** -2;
  const b1 = 0.313 * om ** -0.419 * (1 + 0.607 * om ** 0.674);
  const b2 = 0.238 * om ** 0.223;
  const zDrag = ((1291 * om ** 0.251) / (1 + 0.659 * om ** 0.828)) * (1 + b1 * ob ** b2);
  // Baryon to photon momentum density.
  const ratio = (z: number) => (31.5 * ob * theta ** -4 * 1000) / z;
  const [rDrag, rEq] = [ratio(zDrag), ratio(zEq)];
  const logarithm = Math.log((Math.sqrt(1 + rDrag) + Math.sqrt(rDrag + rEq)) / (1 + Math.sqrt(rEq)));
  const horizon = (2 / (3 * kEq)) * Math.sqrt(6 / rEq) * logarithm;
  return { zEq, kEq, zDrag, rDrag, horizon };
}

/** Sound horizon at the drag epoch [Mpc, without h], eq 6. Throws "scenario" without baryons. */
export function soundHorizon(background: Background): number {
  requireBaryons(background);
  return epochs(background).horizon;
}

/** The full form, with oscillations. Throws "scenario" without baryons. */
export function eisensteinHu(background: Background): TransferFunction {
  requireBaryons(background);
  const { h, om, ob, fb } = inputs(background);
  const { zEq, kEq, zDrag, rDrag, horizon: s } = epochs(background);
  const kSilk = 1.6 * ob ** 0.52 * om ** 0.73 * (1 + (10.4 * om) ** -0.95);
  const a1 = (46.9 * om) ** 0.67 * (1 + (32.1 * om) ** -0.532);
  const a2 = (12 * om) ** 0.424 * (1 + (45 * om) ** -0.582);
  const alphaC = a1 ** -fb * a2 ** -(fb ** 3);
  const b1 = 0.944 / (1 + (458 * om) ** -0.708);
  const b2 = (0.395 * om) ** -0.0266;
  const betaC = 1 / (1 + b1 * ((1 - fb) ** b2 - 1));
  const alphaB = 2.07 * kEq * s * (1 + rDrag) ** -0.75 * driven((1 + zEq) / (1 + zDrag));
  const betaB = 0.5 + fb + (3 - 2 * fb) * Math.sqrt((17.2 * om) ** 2 + 1);
  const betaNode = 8.41 * om ** 0.435;

  const pressureless = (q: number, alpha: number, beta: number) => {
    const logarithm = Math.log(Math.E + 1.8 * beta * q);
    const c = 14.2 / alpha + 386 / (1 + 69.9 * q ** 1.08);
    return logarithm / (logarithm + c * q * q);
  };
  return (kPerH) => {
    const k = kPerH * h;
    if (k === 0) return 1;
    const q = k / (13.41 * kEq);
    const ks = k * s;
    const f = 1 / (1 + (ks / 5.4) ** 4);
    const cold = f * pressureless(q, 1, betaC) + (1 - f) * pressureless(q, alphaC, betaC);
    const x = ks / Math.cbrt(1 + (betaNode / ks) ** 3);
    const oscillation = x < 1e-4 ? 1 - (x * x) / 6 : Math.sin(x) / x;
    const damping = (alphaB / (1 + (betaB / ks) ** 3)) * Math.exp(-((k / kSilk) ** 1.4));
    const baryonic = (pressureless(q, 1, 1) / (1 + (ks / 5.2) ** 2) + damping) * oscillation;
    return fb * baryonic + (1 - fb) * cold;
  };
}

/** G(y) of eq 15. */
function driven(y: number): number {
  const root = Math.sqrt(1 + y);
  return y * (-6 * root + (2 + 3 * y) * Math.log((root + 1) / (root - 1)));
}

/** The smooth form, without oscillations; it allows a universe without baryons. */
export function eisensteinHuNoWiggle(background: Background): TransferFunction {
  const { h, om, ob, fb, theta } = inputs(background);
  const s = (44.5 * Math.log(9.83 / om)) / Math.sqrt(1 + 10 * ob ** 0.75);
  const alpha = 1 - 0.328 * Math.log(431 * om) * fb + 0.38 * Math.log(22.3 * om) * fb * fb;
  return (kPerH) => {
    const k = kPerH * h;
    const shape = (om / h) * (alpha + (1 - alpha) / (1 + (0.43 * k * s) ** 4));
    const q = (kPerH * theta * theta) / shape;
    const logarithm = Math.log(2 * Math.E + 1.8 * q);
    return logarithm / (logarithm + (14.2 + 731 / (1 + 62.5 * q)) * q * q);
  };
}

function requireBaryons({ parameters }: Background): void {
  const hint = 'give Ωb (about 0.05) or take the transfer function "no-wiggle"';
  if (!(parameters.omegaB > 0)) refuse('omegaB (Ωb today) above 0 for the transfer function "eisenstein-hu"', 0, hint);
}
