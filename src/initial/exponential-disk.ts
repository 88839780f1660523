/**
 * Exponential disk in the total field, alone or with whatever has the same centre:
 *   Σ = Σ0 e^{−R/Rd} out to the cutoff, σ_R ∝ e^{−R/Rσ} with Toomre's Q or σ_R given at 2.5 Rd,
 *   ρ = Σ ζ(z) with ζ ∝ sech²(z/z0), e^{−|z|/z0} or isothermal.
 * Velocities: disk-kinematics.ts. The disk's cutoff is not in its own field: that is of the endless disk of the same Σ0.
 * Sources: Freeman 1970, ApJ 160, 811; van der Kruit & Searle 1981, A&A 95, 105; Aubert, Amini & David 2009, section 3.1.
 */
import { derived, positive, positiveNumber, required, STAND_IN } from "../deck/keys.ts";
import { layer, warmth, warmthProblems } from "./disk-keys.ts";
import { type DiskKinematics, type DiskStructure, diskDraw, diskKinematics } from "./disk-kinematics.ts";
import type { FlatDensity } from "./flat-field.ts";
import { count, cutoffFrom, mass } from "./keys.ts";
import { type LayerForm, layerOf } from "./layers.ts";
import { initialModel } from "./model.ts";
import type { ParticleRandom } from "./philox.ts";
import type { ScaledProfile } from "./profiles.ts";
import type { TotalField } from "./total-field.ts";

/** Where Q or σ_R is given, in scale lengths. */
const REFERENCE = 2.5;
/** What stands for the mass of tracers where only ratios count [mass]. */
const MASSLESS = 1e-30;
/** Below this cutoff, in scale lengths, fewer than one in eleven deviates of the infinite disk lies inside. */
const MOST_CUT = 0.5;

export const exponentialDisk = initialModel({
  name: "exponential-disk",
  meaning: "Disk, Σ ∝ exp(−R/Rd), as warm as Toomre's Q or σ_R says, in equilibrium with all about the same centre",
  species: "disk",
  keys: {
    count,
    mass,
    scaleLength: required(positive, { unit: "length", meaning: "radial scale length Rd" }),
    scaleHeight: required(positive, { unit: "length", meaning: "vertical scale height z0" }),
    ...warmth("2.5 Rd"),
    sigmaLength: derived(
      positive,
      { text: "2 × scaleLength", value: ({ table }) => 2 * (positiveNumber(table.scaleLength) ?? STAND_IN) },
      { unit: "length", meaning: "Rσ of σ_R ∝ exp(−R/Rσ)" },
    ),
    layer,
    cutoff: cutoffFrom("scaleLength", 6, "cylindrical radius where the disk ends"),
  },
  scales: ["scaleLength"],
  heights: ["scaleHeight"],
  extent: { reach: ({ cutoff }) => cutoff, keys: ["cutoff", "scaleHeight"] },
  profile: (disk) => sphericalDiskProfile(disk.mass, disk.scaleLength, disk.cutoff),
  flat: exponentialDensity,
  problems: warmthProblems,
  particles: (disk, { field, G }) => diskDraw(exponentialKinematics(disk, field(), G), radiusOf(disk)),
});

type ExponentialDisk = Record<
  "mass" | "scaleLength" | "scaleHeight" | "toomreQ" | "sigma" | "sigmaLength" | "cutoff",
  number
> & { name: string; layer: LayerForm };

/** Σ0 [mass/length²] */
function centralDensity({ mass, scaleLength, cutoff }: ExponentialDisk): number {
  return mass / (2 * Math.PI * scaleLength * scaleLength * diskMassFraction(cutoff / scaleLength));
}

/** The endless disk; S(k) = Σ0 Rd² (1 + k²Rd²)^{−3/2}. */
export function exponentialDensity(disk: ExponentialDisk): FlatDensity {
  const { scaleLength, scaleHeight, layer } = disk;
  const central = centralDensity(disk) * scaleLength ** 2;
  return {
    spectrum: (k) => central * (1 + (k * scaleLength) ** 2) ** -1.5,
    scale: scaleLength,
    layer: layerOf(layer, scaleHeight),
  };
}

/** `field` with the disk's own in it. Throws where Q or σ_R is out of reach. */
export function exponentialKinematics(disk: ExponentialDisk, field: TotalField, G: number): DiskKinematics {
  const { name, scaleLength, scaleHeight, layer, cutoff, toomreQ, sigma, sigmaLength } = disk;
  // Of tracers a density that nobody feels.
  const central = centralDensity(disk.mass > 0 ? disk : { ...disk, mass: MASSLESS });
  const structure: DiskStructure = {
    surfaceDensity: (R) => central * Math.exp(-R / scaleLength),
    densitySlope: (R) => -R / scaleLength,
    ...{ name, cutoff, toomreQ, sigma, sigmaLength },
    scale: scaleLength,
    reference: REFERENCE * scaleLength,
    layer: layerOf(layer, scaleHeight),
    isothermal: layer === "isothermal",
  };
  return diskKinematics(structure, field, G);
}

const radiusOf = ({ cutoff, scaleLength }: ExponentialDisk) =>
  cutoff < MOST_CUT * scaleLength ? radiusWithin(cutoff, scaleLength) : radiusBelow(cutoff, scaleLength);

/** R/Rd follows x e^{−x}, the sum of two exponential deviates; those beyond the cutoff are drawn again. */
const radiusBelow = (cutoff: number, scaleLength: number) => (random: ParticleRandom) => {
  let R: number;
  do {
    R = -scaleLength * Math.log((1 - random.uniform()) * (1 - random.uniform()));
  } while (R > cutoff);
  return R;
};

/** The same for a cutoff that hardly any of those would meet: an even disk, thinned by e^{−x}. */
const radiusWithin = (cutoff: number, scaleLength: number) => (random: ParticleRandom) => {
  let R: number;
  do {
    R = cutoff * Math.sqrt(random.uniform());
  } while (random.uniform() > Math.exp(-R / scaleLength));
  return R;
};

/**
 * The exponential disk, its mass spread over spheres: M(r) ∝ 1 − (1 + r/Rd) e^{−r/Rd} up to the cutoff.
 * `mass` [mass], `scaleLength` and `cutoff` [length].
 */
export function sphericalDiskProfile(mass: number, scaleLength: number, cutoff: number): ScaledProfile {
  const edge = cutoff / scaleLength;
  const factor = mass / diskMassFraction(edge);
  // (1 − e^{−x})/x, and its series where the difference would cancel.
  const meanExponential = (x: number) => (x < 1e-6 ? 1 - x / 2 : -Math.expm1(-x) / x);
  return {
    scale: scaleLength,
    mass: (r) => (r < cutoff ? factor * diskMassFraction(r / scaleLength) : mass),
    density: (r) => (r < cutoff ? (factor * Math.exp(-r / scaleLength)) / (4 * Math.PI * r * scaleLength ** 2) : 0),
    depth: (r) =>
      r < cutoff
        ? mass / cutoff + (factor / scaleLength) * (meanExponential(r / scaleLength) - meanExponential(edge))
        : mass / r,
  };
}

/** Mass fraction of an infinite exponential disk inside x = R/Rd: 1 − (1 + x) e^{−x}. */
export function diskMassFraction(x: number): number {
  return x < 1e-4 ? x * x * (0.5 - x / 3) : 1 - (1 + x) * Math.exp(-x);
}
