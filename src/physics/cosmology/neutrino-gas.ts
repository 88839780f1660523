/**
 * Massive neutrinos of the homogeneous background: relics with the Fermi–Dirac distribution of massless ones, x = q/(k T₀) with
 * the comoving momentum q and y = a m c²/(k T₀):
 *   ρ ∝ a⁻⁴ ∫ x² √(x² + y²)/(eˣ + 1) dx,   3P ∝ a⁻⁴ ∫ x⁴/√(x² + y²)/(eˣ + 1) dx
 * Source: Lesgourgues & Pastor 2006, section 3; Ma & Bertschinger 1995, eq. 52.
 */
import { pairs } from "d3-array";
import { massOverTemperature, NEUTRINO_PER_PHOTON, PHOTONS_AT_1_KELVIN, SPECIES_OF_MASSIVE } from "./constants.ts";
import { eachNode } from "./quadrature.ts";

/** x and weight/(eˣ + 1); what lies beyond is less than rounding. */
const NODES: { x: number; weight: number }[] = [];
for (const [from, to] of pairs([0, 6, 16, 40]))
  eachNode(from, to, (x, weight) => NODES.push({ x, weight: weight / (Math.exp(x) + 1) }));
/** ∫ x³/(eˣ + 1) dx */
const MASSLESS = (7 * Math.PI ** 4) / 120;

/** Species of one mass. */
export interface NeutrinoSpecies {
  count: number;
  /** m c²/(k T₀) */
  ratio: number;
  /** Density today over the critical. */
  today: number;
}

export class NeutrinoGas {
  readonly species: readonly NeutrinoSpecies[];
  /** Density of one species today over the critical, were it massless. */
  readonly #massless: number;
  #latest = { a: 0, density: 0, pressure: 0 };

  constructor({ h, tCmb, neutrinoMasses }: Record<"h" | "tCmb", number> & { neutrinoMasses: readonly number[] }) {
    this.#massless = ((PHOTONS_AT_1_KELVIN * tCmb ** 4) / (h * h)) * NEUTRINO_PER_PHOTON * SPECIES_OF_MASSIVE;
    this.species = [...new Set(neutrinoMasses)].map((mass) => {
      const count = neutrinoMasses.filter((one) => one === mass).length;
      const ratio = massOverTemperature(mass, tCmb);
      return { count, ratio, today: count * this.#massless * moments(ratio).density };
    });
  }

  /** Density while all are relativistic, times a⁴, over the critical density today. */
  get relativistic(): number {
    return this.#massless * this.species.reduce((sum, { count }) => sum + count, 0);
  }

  /** Density and pressure at a, over the critical density today. */
  at(a: number): { density: number; pressure: number } {
    if (a === this.#latest.a) return this.#latest;
    let [density, pressure] = [0, 0];
    for (const { count, ratio } of this.species) {
      const one = moments(a * ratio);
      density += (count * this.#massless * one.density) / a ** 4;
      pressure += (count * this.#massless * one.pressure) / a ** 4;
    }
    this.#latest = { a, density, pressure };
    return this.#latest;
  }
}

/** Density and pressure at y over the density at y = 0. */
function moments(y: number): { density: number; pressure: number } {
  let [density, pressure] = [0, 0];
  for (const { x, weight } of NODES) {
    const energy = Math.sqrt(x * x + y * y);
    density += weight * x * x * energy;
    pressure += (weight * x ** 4) / (3 * energy);
  }
  return { density: density / MASSLESS, pressure: pressure / MASSLESS };
}
