/**
 * Kuzmin's disk, Σ = Ma/2π (R² + a²)^{−3/2} out to the cutoff, S(k) = M/2π e^{−ka}; its field above the plane is that of a point
 * mass at −a (Kuzmin 1956). Toomre's Q is the same at all radii, so that σ_R ∝ Σ/κ; the rest is as disk-model.ts has it.
 * Sources: Kuzmin 1956, Astron. Zh. 33, 27; Toomre 1963, ApJ 138, 385, n = 1; Athanassoula & Sellwood 1986, MNRAS 221, 213.
 */
import { positive, required } from "../../foundation/deck/keys.ts";
import { type Disk, type DiskForm, diskBehaviour, diskKeys } from "./disk-model.ts";
import { cutoffFrom } from "./keys.ts";
import { initialModel } from "./model.ts";

type KuzminDisk = Disk & { scale: number };

export const kuzmin = diskBehaviour<KuzminDisk>(kuzminForm, {
  reference: Math.SQRT2, // where the circular speed of the disk itself is highest
  radius({ scale, cutoff }) {
    const inside = massFraction(cutoff / scale);
    // R of a share u of the mass: 1 − u = 1/√(1 + x²), which never vanishes inside the cutoff.
    return (random) => {
      const rest = 1 - inside * random.uniform();
      return Math.min(cutoff, scale * Math.sqrt(Math.max(0, 1 / (rest * rest) - 1)));
    };
  },
});

export const kuzminDisk = initialModel({
  name: "kuzmin-disk",
  meaning: "Disk, Σ = M a/(2π (R² + a²)^(3/2)), Toomre's Q the same at all radii, in equilibrium as exponential-disk",
  species: "disk",
  keys: {
    ...diskKeys("√2 a", { scale: required(positive, { unit: "length", meaning: "scale radius a" }) }, {}),
    cutoff: cutoffFrom("scale", 10, "cylindrical radius where the disk ends; inside 10 a are nine tenths of the mass"),
  },
  scales: ["scale"],
  ...kuzmin,
});

/** Mass fraction of the endless disk inside x = R/a. */
export function massFraction(x: number): number {
  const root = Math.sqrt(1 + x * x);
  return (x * x) / (root * (root + 1));
}

function kuzminForm({ mass, scale, cutoff }: KuzminDisk): DiskForm {
  const whole = mass / massFraction(cutoff / scale);
  const factor = (whole * scale) / (2 * Math.PI);
  return {
    scale,
    share: massFraction,
    surfaceDensity: (R) => factor * (R * R + scale * scale) ** -1.5,
    densitySlope: (R) => (-3 * R * R) / (R * R + scale * scale),
    spectrum: (k) => (whole / (2 * Math.PI)) * Math.exp(-k * scale),
  };
}
