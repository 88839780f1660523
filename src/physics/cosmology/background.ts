/**
 * The homogeneous background: matter, dark energy with w(a) = w0 + wa (1 − a), curvature, radiation if wanted, and
 * massive neutrinos, which are part of the matter today (neutrino-gas.ts).
 *   E² = H²/H0² = Ωr a⁻⁴ + Ωcb a⁻³ + Ων(a) + Ωk a⁻² + Ωde a^{−3(1 + w0 + wa)} e^{−3 wa (1 − a)}
 *   Ωm = Ωcb + Ων(1),   Ωk = 1 − Ωr − Ωm − Ωde
 * Sources: Peebles 1993, chapter 13; w0–wa: Chevallier & Polarski 2001, Linder 2003; distances and lookback time: Hogg
 * 1999, eqs 15, 16, 30.
 * Units: Mpc/h, km/s, hence H0 = 100 and times in Mpc/h/(km/s).
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import {
  HUBBLE,
  HUBBLE_LENGTH,
  NEUTRINO_PER_PHOTON,
  PHOTONS_AT_1_KELVIN,
  SPECIES_OF_MASSIVE,
  TIME_IN_GYR,
} from "./constants.ts";
import { NeutrinoGas } from "./neutrino-gas.ts";
import { integral } from "./quadrature.ts";
import type { CosmologySettings } from "./settings.ts";

/**
 * Keys of the table [cosmology] (settings.ts). Those that are left out: no baryons, a flat space, w = −1, no radiation, 2.7255 K
 * (Fixsen 2009) and 3.044 massless species (Bennett et al. 2021).
 */
export type BackgroundParameters = Pick<CosmologySettings, "h" | "omegaM"> &
  Partial<
    Pick<CosmologySettings, "omegaB" | "darkEnergy" | "w0" | "wa" | "radiation" | "tCmb" | "nEff" | "neutrinoMasses">
  >;

type CompleteParameters = Required<BackgroundParameters> & { darkEnergy: number };

/** Densities in units of the critical density of the same time; they add up to 1. Matter is cold matter and baryons. */
export type DensityFractions = Record<"matter" | "neutrinos" | "radiation" | "darkEnergy" | "curvature", number>;

/** Dark energy must fade at least this fast towards the past, or there is no matter era to normalise growth by. */
const LARGEST_EARLY_W = -0.1;
/** The past that a background must have. */
const EARLIEST = 1e-6;
/** e-folds before a that count for its age: matter's share beyond them is e^{−60}. */
const AGE_EFOLDS = 40;

export class Background {
  readonly parameters: Readonly<CompleteParameters>;
  readonly today: Readonly<DensityFractions & { baryons: number }>;
  /** Undefined without massive neutrinos. */
  readonly neutrinos: NeutrinoGas | undefined;

  /** Throws "scenario" for values that are no cosmology, for one without a big bang and for early dark energy. */
  constructor(parameters: BackgroundParameters) {
    this.parameters = completed(parameters);
    const { omegaM, omegaB: baryons, darkEnergy, neutrinoMasses } = this.parameters;
    const radiation = radiationOf(this.parameters);
    this.neutrinos = neutrinoMasses.length > 0 ? new NeutrinoGas(this.parameters) : undefined;
    const neutrinos = this.neutrinos?.at(1).density ?? 0;
    const matter = omegaM - neutrinos;
    if (!(matter >= baryons && matter > 0)) {
      const found = `Ων = ${neutrinos.toPrecision(4)}`;
      refuse(`neutrinos with less than omegaM − omegaB = ${omegaM - baryons}`, found, "try smaller masses");
    }
    const curvature = 1 - radiation - omegaM - darkEnergy;
    // Rounding of the three others is no curvature.
    const flat = Math.abs(curvature) < 4 * Number.EPSILON;
    this.today = { matter, neutrinos, baryons, radiation, darkEnergy, curvature: flat ? 0 : curvature };
    for (let a = 1; a > EARLIEST; a *= 0.98) {
      if (this.#squared(a) > 0) continue;
      refuse(
        `a universe that expands from a big bang with omegaM = ${omegaM} and darkEnergy = ${darkEnergy}`,
        `H² ≤ 0 at a = ${a.toPrecision(3)}`,
        "try less dark energy or more matter",
      );
    }
  }

  /** E(a) = H/H0. Throws "scenario" where the expansion has ended before a. */
  expansion(a: number): number {
    const squared = this.#squared(a);
    if (squared > 0) return Math.sqrt(squared);
    return refuse("a scale factor that the universe reaches", `${a}, where H² ≤ 0`, "try an earlier time");
  }

  /** H(a) [km/s/(Mpc/h)] */
  hubble(a: number): number {
    return HUBBLE * this.expansion(a);
  }

  /** d ln H / d ln a; `fractions` saves time where they are at hand. */
  hubbleSlope(a: number, fractions = this.fractions(a)): number {
    const { matter, radiation, darkEnergy, curvature } = fractions;
    const cold = -2 * radiation - 1.5 * matter - curvature - 1.5 * (1 + this.equationOfState(a)) * darkEnergy;
    if (!this.neutrinos) return cold;
    const { density, pressure } = this.neutrinos.at(a);
    return cold - 1.5 * (1 + pressure / density) * fractions.neutrinos;
  }

  equationOfState(a: number): number {
    return this.parameters.w0 + this.parameters.wa * (1 - a);
  }

  fractions(a: number): DensityFractions {
    const { matter, radiation, darkEnergy, curvature } = this.today;
    const squared = this.expansion(a) ** 2;
    return {
      matter: matter / (a * a * a * squared),
      neutrinos: this.neutrinos ? this.neutrinos.at(a).density / squared : 0,
      radiation: radiation / (a * a * a * a * squared),
      darkEnergy: darkEnergy === 0 ? 0 : (darkEnergy * this.#darkEnergyGrowth(a)) / squared,
      curvature: curvature / (a * a * squared),
    };
  }

  /** Time since the big bang, ∫₀ᵃ da/(aH) [Mpc/h/(km/s)]. */
  age(a: number): number {
    const last = Math.log(a);
    return integral((x) => 1 / this.hubble(Math.exp(x)), last - AGE_EFOLDS, last, AGE_EFOLDS);
  }

  /** Time from a to today [Mpc/h/(km/s)]; negative for a > 1. */
  lookbackTime(a: number): number {
    return this.integralOver((scale) => 1 / (scale * this.hubble(scale)), a, 1);
  }

  /** A time of this module [Mpc/h/(km/s)] in 10⁹ years: h comes in here. */
  inGyr(time: number): number {
    return (time * TIME_IN_GYR) / this.parameters.h;
  }

  /** The scale factor at an `age` [Mpc/h/(km/s)]. Throws "scenario" for one that the universe doesn't reach. */
  scaleFactor(age: number): number {
    if (!(age > 0 && Number.isFinite(age))) return refuse("an age above 0", age, "try the age at the start of the run");
    // Newton in ln a against ln t, close to a straight line, from the age of matter alone.
    let x = Math.min(0, (2 / 3) * Math.log(1.5 * HUBBLE * Math.sqrt(this.today.matter) * age));
    for (let iteration = 0; iteration < 60; iteration++) {
      const a = Math.exp(x);
      const time = this.age(a);
      const change = Math.log(age / time) * time * this.hubble(a);
      x += Math.max(-1, Math.min(1, change));
      if (Math.abs(change) < 4e-16 * Math.max(1, Math.abs(x))) break;
    }
    return Math.exp(x);
  }

  /** Comoving distance along the line of sight from us to a, c∫da/(a²H) [Mpc/h]. */
  comovingDistance(a: number): number {
    return HUBBLE_LENGTH * this.integralOver((scale) => 1 / (scale * scale * this.expansion(scale)), a, 1);
  }

  /** The scale factor at a comoving distance [Mpc/h]: 1 at 0. By bisection: few are asked for. */
  scaleFactorAt(distance: number): number {
    let [low, high] = [Math.log(EARLIEST), 0];
    for (let i = 0; i < 60; i++) {
      const middle = 0.5 * (low + high);
      if (this.comovingDistance(Math.exp(middle)) > distance) low = middle;
      else high = middle;
    }
    return Math.exp(high);
  }

  /** Comoving distance across the line of sight, per radian [Mpc/h]; another where space is curved. */
  transverseDistance(a: number): number {
    return this.across(this.comovingDistance(a));
  }

  /** The same at a comoving distance along the line of sight [Mpc/h]. */
  across(distance: number): number {
    const root = Math.sqrt(Math.abs(this.today.curvature)) / HUBBLE_LENGTH;
    if (root === 0) return distance;
    return (this.today.curvature > 0 ? Math.sinh(root * distance) : Math.sin(root * distance)) / root;
  }

  /** ∫ f da over [from, to], accurate to rounding for anything smooth in ln a; negative where `to` is less than `from`. */
  integralOver(f: (a: number) => number, from: number, to: number): number {
    const [first, last] = [Math.log(from), Math.log(to)];
    const panels = Math.max(1, Math.ceil(Math.abs(last - first)));
    return integral((x) => Math.exp(x) * f(Math.exp(x)), first, last, panels);
  }

  #squared(a: number): number {
    const { matter, radiation, darkEnergy, curvature } = this.today;
    const energy = darkEnergy === 0 ? 0 : darkEnergy * this.#darkEnergyGrowth(a);
    const cold = ((radiation / a + matter) / a + curvature) / (a * a) + energy;
    return this.neutrinos ? cold + this.neutrinos.at(a).density : cold;
  }

  /** Density of dark energy relative to today's. */
  #darkEnergyGrowth(a: number): number {
    const { w0, wa } = this.parameters;
    return a ** (-3 * (1 + w0 + wa)) * Math.exp(-3 * wa * (1 - a));
  }
}

/** Ω of photons and massless neutrinos today. */
function radiationOf({ h, radiation, tCmb, nEff, neutrinoMasses }: Omit<CompleteParameters, "darkEnergy">): number {
  const massless = nEff - SPECIES_OF_MASSIVE * neutrinoMasses.length;
  return radiation ? ((PHOTONS_AT_1_KELVIN * tCmb ** 4) / (h * h)) * (1 + NEUTRINO_PER_PHOTON * massless) : 0;
}

function completed(given: BackgroundParameters): CompleteParameters {
  const { h, omegaM, omegaB = 0, w0 = -1, wa = 0, radiation = false, tCmb = 2.7255, nEff = 3.044 } = given;
  const { neutrinoMasses = [] } = given;
  const flat = given.darkEnergy === undefined || given.darkEnergy === "flat";
  const numbers = { h, omegaM, omegaB, w0, wa, tCmb, nEff, darkEnergy: flat ? 0 : given.darkEnergy };
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value !== "number" || !Number.isFinite(value))
      refuse(`a number for ${name}`, `${value}`, "give a finite value");
  }
  if (!(h > 0 && h < 10)) refuse("h = H0/(100 km/s/Mpc) between 0 and 10", h, "try 0.7");
  if (!(omegaM > 0)) refuse("omegaM (Ωm today) above 0", omegaM, "try 0.3");
  if (!(omegaB >= 0 && omegaB <= omegaM)) {
    refuse(`omegaB (Ωb today) between 0 and omegaM = ${omegaM}`, omegaB, "baryons are part of the matter");
  }
  if (!(tCmb > 0)) refuse("tCmb, the temperature of the microwave background, above 0 K", tCmb, "try 2.7255");
  if (!(nEff >= 0)) refuse("nEff (effective number of massless species) of at least 0", nEff, "try 3.044");
  if (!neutrinoMasses.every((mass) => mass > 0 && Number.isFinite(mass))) {
    refuse("neutrinoMasses above 0", `[${neutrinoMasses.join(", ")}]`, "massless species are in nEff alone");
  }
  if (SPECIES_OF_MASSIVE * neutrinoMasses.length > nEff) {
    const expected = `at most nEff/1.0132 = ${(nEff / SPECIES_OF_MASSIVE).toFixed(2)} neutrinoMasses`;
    refuse(expected, neutrinoMasses.length, "massive species are among those of nEff");
  }
  const others = { h, omegaM, omegaB, w0, wa, radiation, tCmb, nEff, neutrinoMasses };
  const darkEnergy = flat ? 1 - omegaM - radiationOf(others) : (given.darkEnergy as number);
  if (darkEnergy !== 0 && w0 + wa > LARGEST_EARLY_W) {
    const expected = `w0 + wa of at most ${LARGEST_EARLY_W}, so that dark energy fades towards the past`;
    refuse(expected, `${w0 + wa}`, "try a smaller wa");
  }
  return { ...others, darkEnergy };
}

/** Refuses a cosmology that can't be: what was expected, what was found, what to try. */
export function refuse(expected: string, found: string | number, hint: string, where = "cosmology"): never {
  throw new GravmeshError("scenario", `${where}: expected ${expected}, found ${found}; ${hint}`);
}
