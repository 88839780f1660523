/**
 * Kuzmin's disk in the total field, alone or with whatever has the same centre:
 *   Σ = Ma/2π (R² + a²)^{−3/2} out to the cutoff, S(k) = M/2π e^{−ka}, ρ = Σ ζ(z);
 * its field above the plane is that of a point mass at −a (Kuzmin 1956). Toomre's Q is the same at all radii, so that
 * σ_R ∝ Σ/κ. Velocities: disk-kinematics.ts. The disk's cutoff is not in its own field: that is of the endless disk.
 * Sources: Kuzmin 1956, Astron. Zh. 33, 27; Toomre 1963, ApJ 138, 385, n = 1; Athanassoula & Sellwood 1986, MNRAS 221, 213.
 */
import { positive, required } from "../deck/keys.ts";
import { layer, warmth, warmthProblems } from "./disk-keys.ts";
import { type DiskKinematics, diskDraw, diskKinematics } from "./disk-kinematics.ts";
import type { FlatDensity } from "./flat-field.ts";
import { count, cutoffFrom, mass } from "./keys.ts";
import { type LayerForm, layerOf } from "./layers.ts";
import { initialModel } from "./model.ts";
import type { ScaledProfile } from "./profiles.ts";
import type { TotalField } from "./total-field.ts";

/** Where `sigma` is given, in scales: the circular speed of the disk itself is highest there. */
const REFERENCE = Math.SQRT2;

export const kuzminDisk = initialModel({
  name: "kuzmin-disk",
  meaning: "Disk, Σ = M a/(2π (R² + a²)^(3/2)), Toomre's Q the same at all radii, in equilibrium as exponential-disk",
  species: "disk",
  keys: {
    count,
    mass,
    scale: required(positive, { unit: "length", meaning: "scale radius a" }),
    scaleHeight: required(positive, { unit: "length", meaning: "vertical scale height z0" }),
    ...warmth("√2 a"),
    layer,
    cutoff: cutoffFrom("scale", 10, "cylindrical radius where the disk ends; inside 10 a are nine tenths of the mass"),
  },
  scales: ["scale"],
  heights: ["scaleHeight"],
  extent: { reach: ({ cutoff }) => cutoff, keys: ["cutoff", "scaleHeight"] },
  problems: warmthProblems,
  profile: ({ mass, scale, cutoff }) => sphericalKuzminProfile(mass, scale, cutoff),
  flat: kuzminDensity,
  particles(disk, { field, G }) {
    const { scale, cutoff } = disk;
    const inside = massFraction(cutoff / scale);
    // R of a share u of the mass: 1 − u = 1/√(1 + x²), which never vanishes inside the cutoff.
    return diskDraw(kuzminKinematics(disk, field(), G), (random) => {
      const rest = 1 - inside * random.uniform();
      return Math.min(cutoff, scale * Math.sqrt(Math.max(0, 1 / (rest * rest) - 1)));
    });
  },
});

type KuzminDisk = Record<"mass" | "scale" | "scaleHeight" | "toomreQ" | "sigma" | "cutoff", number> & {
  name: string;
  layer: LayerForm;
};

/** Of the endless disk, inside x = R/a. */
export function massFraction(x: number): number {
  const root = Math.sqrt(1 + x * x);
  return (x * x) / (root * (root + 1));
}

/** The mass of the endless disk of which the cutoff leaves `mass`. */
const wholeMass = ({ mass, scale, cutoff }: KuzminDisk) => mass / massFraction(cutoff / scale);

export function kuzminDensity(disk: KuzminDisk): FlatDensity {
  const { scale, scaleHeight, layer } = disk;
  const factor = wholeMass(disk) / (2 * Math.PI);
  return { spectrum: (k) => factor * Math.exp(-k * scale), scale, layer: layerOf(layer, scaleHeight) };
}

/** `field` with the disk's own in it. Throws where Q or σ_R is out of reach. */
export function kuzminKinematics(disk: KuzminDisk, field: TotalField, G: number): DiskKinematics {
  const { name, scale, scaleHeight, layer, cutoff, toomreQ, sigma } = disk;
  const factor = (wholeMass(disk) * scale) / (2 * Math.PI);
  return diskKinematics(
    {
      ...{ name, scale, cutoff, toomreQ, sigma },
      surfaceDensity: (R) => factor * (R * R + scale * scale) ** -1.5,
      densitySlope: (R) => (-3 * R * R) / (R * R + scale * scale),
      reference: REFERENCE * scale,
      layer: layerOf(layer, scaleHeight),
      isothermal: layer === "isothermal",
    },
    field,
    G,
  );
}

/** The disk's mass spread over spheres, up to the cutoff. */
function sphericalKuzminProfile(mass: number, scale: number, cutoff: number): ScaledProfile {
  const edge = cutoff / scale;
  const factor = mass / massFraction(edge);
  // ∫ (1 − 1/√(1 + x²))/x² dx = (√(1 + x²) − 1)/x, which is x/(√(1 + x²) + 1)
  const integral = (x: number) => x / (Math.sqrt(1 + x * x) + 1);
  return {
    scale,
    mass: (r) => (r < cutoff ? factor * massFraction(r / scale) : mass),
    density: (r) => (r < cutoff ? (factor * scale) / (4 * Math.PI * r * (r * r + scale * scale) ** 1.5) : 0),
    depth: (r) => (r < cutoff ? mass / cutoff + (factor / scale) * (integral(edge) - integral(r / scale)) : mass / r),
  };
}
