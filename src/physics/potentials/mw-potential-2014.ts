/**
 * MWPotential2014 (Bovy 2015, section 3.5 and table 1): bulge, disk and halo of the Milky Way, whose shares of the radial force
 * at R₀ are 0.05, 0.6 and 0.35, with v²(R₀)/R₀ in all. Lengths go with R₀, which is 8 kpc there.
 *   bulge  ρ ∝ r^−1.8 e^(−(r/1.9 kpc)²)     disk  Miyamoto–Nagai, a = 3, b = 0.28 kpc     halo  NFW, a = 16 kpc
 */
import { type DerivedDefault, derived, entry, nonNegative, optional, positive } from "../../foundation/deck/keys.ts";
import { miyamotoNagai } from "./miyamoto-nagai.ts";
import { nfw } from "./nfw.ts";
import { type CompositePart, compositePotential } from "./potential.ts";
import { powerLawCutoff } from "./power-law-cutoff.ts";

/** Values in kpc and km/s; decks in other units have to give them. */
const inGalacticUnits = (value: number): DerivedDefault => ({
  text: `${value} with units.system = "galactic", else required`,
  value: ({ deck }) => (entry(deck, "units", "system") === "galactic" ? value : undefined),
});

const share = (of: string) => optional(nonNegative, 1, { meaning: `factor on the ${of}; 0 leaves it out` });

const SUN = 8;
const PARTS = [
  { name: "bulge", share: 0.05, record: powerLawCutoff, shape: { alpha: 1.8 }, lengths: { cutoff: 1.9 } },
  { name: "disk", share: 0.6, record: miyamotoNagai, shape: {}, lengths: { scaleLength: 3, scaleHeight: 0.28 } },
  { name: "halo", share: 0.35, record: nfw, shape: {}, lengths: { scale: 16 } },
] as const;

export const mwPotential2014 = compositePotential({
  name: "MWPotential2014",
  meaning: "Milky Way of Bovy (2015): bulge, Miyamoto–Nagai disk and NFW halo, v = 220 km/s at 8 kpc",
  keys: {
    radius: derived(positive, inGalacticUnits(SUN), {
      unit: "length",
      meaning: "radius R₀ of the Sun: all lengths go with it",
    }),
    speed: derived(positive, inGalacticUnits(220), {
      unit: "velocity",
      meaning: "circular speed at R₀: all masses go with its square",
    }),
    bulge: share("bulge"),
    disk: share("disk"),
    halo: share("halo"),
  },
  parts: (p, G) =>
    PARTS.flatMap(({ name, share, record, shape, lengths }): CompositePart[] => {
      if (p[name] === 0) return [];
      const scaled = Object.fromEntries(Object.entries(lengths).map(([key, kpc]) => [key, (kpc * p.radius) / SUN]));
      const ofUnitMass = new Float64Array(3);
      const at = Float64Array.of(p.radius, 0, 0);
      (record.formula.acceleration as Acceleration)({ mass: 1, ...shape, ...scaled }, at, ofUnitMass);
      const wanted = (p[name] * share * p.speed ** 2) / p.radius;
      return [{ kind: record.name, parameters: { mass: wanted / -ofUnitMass[0] / G, ...shape, ...scaled } }];
    }),
});

type Acceleration = (p: Record<string, number>, x: Float64Array, out: Float64Array) => void;
