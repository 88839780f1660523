/**
 * What disks of a given surface density share, in the total field, alone or with whatever has the same centre:
 *   ρ = Σ ζ(z) out to the cutoff, with ζ isothermal, ∝ sech²(z/z0) or e^{−|z|/z0}.
 * Velocities: disk-kinematics.ts. The disk's cutoff is not in its own field: that is of the endless disk of the same Σ.
 */
import type { z } from "zod";
import {
  choice,
  derived,
  nonNegative,
  optional,
  positive,
  positiveNumber,
  required,
} from "../../foundation/deck/keys.ts";
import { type Disk, diskDraw, diskKinematics, type SurfaceDensity } from "./disk-kinematics.ts";
import type { FlatDensity } from "./flat-field.ts";
import { centre, count, mass } from "./keys.ts";
import type { ComponentProblem, ModelContext } from "./model.ts";
import type { ParticleRandom } from "./philox.ts";
import { type ScaledProfile, tabulatedProfile } from "./profiles.ts";
import type { TotalField } from "./total-field.ts";
import { layerOf } from "./vertical-structure.ts";

const DEFAULT_Q = 1.2;
/** What stands for the mass of tracers where only ratios count [mass]. */
const MASSLESS = 1e-30;

type Keys = Record<string, z.ZodType>;

/** Keys of such disks; `where` Toomre's Q or σ_R is given, in words. */
export const diskKeys = <S extends Keys, W extends Keys>(where: string, scale: S, warmth: W) => ({
  ...{ count, mass, ...scale },
  scaleHeight: required(positive, { unit: "length", meaning: "vertical scale height z0" }),
  toomreQ: derived(
    nonNegative,
    {
      text: `${DEFAULT_Q}, or 0 with sigma`,
      value: ({ table }) => (positiveNumber(table.sigma) === undefined ? DEFAULT_Q : 0),
    },
    { meaning: `Toomre's Q at ${where}; below 1 rings form, from 1 to 2 arms and bars` },
  ),
  sigma: optional(nonNegative, 0, {
    unit: "velocity",
    meaning: `radial velocity dispersion at ${where} instead of Toomre's Q; 0: as toomreQ says`,
  }),
  ...warmth,
  layer: optional(choice("isothermal", "sech2", "exponential"), "isothermal", {
    meaning:
      "vertical profile: isothermal in the total field with the mean height of sech²(z/z0), or sech²(z/z0) or exp(−|z|/z0) at all radii, which thicken",
  }),
  centre,
});

export type { Disk };

/** The surface density of a disk, and its mass as others feel it. */
export interface DiskForm extends SurfaceDensity {
  /** Mass of the endless disk inside x scales, as a share of all of it. */
  share(x: number): number;
  /** S(k) of the endless disk [mass], as flat-field.ts has it. */
  spectrum(k: number): number;
}

/** The behaviour of such a disk. Q or σ_R is given at `reference` scales; `radius` makes what draws a star's R. */
export function diskBehaviour<D extends Disk>(
  formOf: (disk: D) => DiskForm,
  { reference, radius }: { reference: number; radius(disk: D): (random: ParticleRandom) => number },
) {
  /** `field` with the disk's own in it. Throws where Q or σ_R is out of reach. */
  function kinematics(disk: D, field: TotalField, G: number) {
    // Tracers get a density that exerts no force.
    const form = formOf(disk.mass > 0 ? disk : { ...disk, mass: MASSLESS });
    return diskKinematics({ ...disk, ...form, reference: reference * form.scale }, field, G);
  }
  return {
    kinematics,
    heights: ["scaleHeight"],
    extent: { reach: ({ cutoff }: D) => cutoff, keys: ["cutoff", "scaleHeight"] },
    problems: warmthProblems,
    /** Its mass spread over spheres. */
    profile: (disk: D): ScaledProfile => spreadOverSpheres(disk, formOf(disk)),
    flat(disk: D): FlatDensity {
      const { scale, spectrum } = formOf(disk);
      return { scale, spectrum, layer: layerOf(disk.layer, disk.scaleHeight) };
    },
    particles: (disk: D, { field, G }: ModelContext) => diskDraw(kinematics(disk, field(), G), radius(disk)),
  };
}

/** Nodes in r, between 10⁻³ of the shorter scale and where the layer ends at the cutoff; steps of an angle of latitude. */
const [NODES, LATITUDES, LAYER_END] = [512, 96, 10];

/**
 * Spherical mean of ρ = Σ(R) ζ(z), with the disk's thickness: as of a sheet it would hold too much within a height of its
 * middle. S is the mass inside a cylinder:
 *   M(<r) = 2 ∫ S(r cos b) ζ(r sin b) r cos b db,   ρ(r) = ∫ Σ(r cos b) ζ(r sin b) cos b db,   0 < b < 90°
 */
function spreadOverSpheres(disk: Disk, { scale, share, surfaceDensity }: DiskForm): ScaledProfile {
  const { mass, cutoff, scaleHeight, layer } = disk;
  const { density: zeta } = layerOf(layer, scaleHeight);
  const inside = share(cutoff / scale);
  const within = (R: number) => (R < cutoff ? (mass * share(R / scale)) / inside : mass);
  const first = 1e-3 * Math.min(scale, scaleHeight);
  const end = Math.hypot(cutoff, LAYER_END * scaleHeight);
  const radii = Float64Array.from({ length: NODES }, (_, i) => first * (end / first) ** (i / (NODES - 1)));
  /** ∫ value(r cos b) ζ(r sin b) cos b db over latitudes from the lowest on, by Simpson's rule. */
  const over = (r: number, lowest: number, value: (R: number) => number) => {
    const step = (Math.asin(Math.min(1, (LAYER_END * scaleHeight) / r)) - lowest) / LATITUDES;
    if (!(step > 0)) return 0;
    let sum = 0;
    for (let k = 0; k <= LATITUDES; k++) {
      const [sine, cosine] = [Math.sin(lowest + k * step), Math.cos(lowest + k * step)];
      const simpson = k === 0 || k === LATITUDES ? 1 : k % 2 === 1 ? 4 : 2;
      sum += ((simpson * step) / 3) * value(r * cosine) * zeta(r * sine) * cosine;
    }
    return sum;
  };
  const profile = tabulatedProfile(
    radii,
    radii.map((r) => 2 * r * over(r, 0, within)),
    radii.map((r) => over(r, Math.acos(Math.min(1, cutoff / r)), surfaceDensity)),
  );
  return { scale, ...profile };
}

function warmthProblems({ mass, toomreQ, sigma }: Disk): ComponentProblem[] {
  if (mass === 0 && !(sigma > 0)) {
    const hint = "Toomre's Q is of a disk's own gravity, which tracers don't have";
    return [{ key: "sigma", expected: "a dispersion above 0 with mass = 0", hint }];
  }
  if (toomreQ > 0 !== sigma > 0) return [];
  if (sigma > 0) {
    const expected = `no sigma, or toomreQ = 0, since each of them says how warm the disk is (toomreQ = ${toomreQ})`;
    return [{ key: "sigma", expected, hint: "Leave one of them out" }];
  }
  return [{ key: "toomreQ", expected: "a number above 0 without sigma", hint: "Give one of them" }];
}
