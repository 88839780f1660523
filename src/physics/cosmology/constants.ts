/**
 * Constants of cosmology, each with its source. Units of the module: lengths Mpc/h, velocities km/s, masses 10¹⁰ M☉/h,
 * so times are Mpc/h/(km/s) and the Hubble constant is 100 whatever h is.
 */
import { JULIAN_YEAR, NEWTON_G, PARSEC } from "../../foundation/deck/units.ts";

/** H0 [km/s/(Mpc/h)], by definition of h. */
export const HUBBLE = 100;
/** Speed of light [km/s], exact (SI). */
export const LIGHT = 299_792.458;
/** Hubble length c/H0 [Mpc/h]. */
export const HUBBLE_LENGTH = LIGHT / HUBBLE;

const MPC_IN_KM = 1e3 * PARSEC;
/** Mpc/(km/s) in 10⁹ years: 977.79… */
export const TIME_IN_GYR = MPC_IN_KM / (1e9 * JULIAN_YEAR);

/** Stefan–Boltzmann constant [W m⁻² K⁻⁴], exact (SI 2019). */
const STEFAN_BOLTZMANN = 5.670374419e-8;
/** 100 km/s/Mpc [1/s]. */
const HUBBLE_PER_SECOND = HUBBLE / MPC_IN_KM;
const LIGHT_IN_M = 1e3 * LIGHT;

/** Ωγ h² of black-body photons at 1 K: (8πG/3H²)(4σ/c³), 4.48…e-7. */
export const PHOTONS_AT_1_KELVIN =
  ((8 * Math.PI * NEWTON_G) / (3 * HUBBLE_PER_SECOND ** 2)) * ((4 * STEFAN_BOLTZMANN) / LIGHT_IN_M ** 3);

/** Density of one massless neutrino species relative to photons, decoupled before e± annihilation: (7/8)(4/11)^{4/3}. */
export const NEUTRINO_PER_PHOTON = (7 / 8) * (4 / 11) ** (4 / 3);

/** T of massive neutrinos over that of photons: with it Ων h² = Σm/93.14 eV (Mangano et al. 2005; the value of CLASS). */
export const NEUTRINO_TEMPERATURE = 0.71611;
/** Of such a species, in massless ones: 1.0132. */
export const SPECIES_OF_MASSIVE = NEUTRINO_TEMPERATURE ** 4 / (4 / 11) ** (4 / 3);
/** Boltzmann constant [eV/K], exact (SI 2019). */
const BOLTZMANN = 8.617333262e-5;
/** m c² of a mass [eV] over k T of massive neutrinos today. */
export const massOverTemperature = (mass: number, tCmb: number): number =>
  mass / (BOLTZMANN * NEUTRINO_TEMPERATURE * tCmb);

/** Critical density today, ρc = 3 H0²/(8πG) = 27.7536627… [10¹⁰ M☉/h / (Mpc/h)³], with G of the caller's unit system. */
export function criticalDensity(G: number): number {
  return (3 * HUBBLE * HUBBLE) / (8 * Math.PI * G);
}
