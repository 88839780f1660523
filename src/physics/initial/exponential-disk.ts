/**
 * Exponential disk, Σ = Σ0 e^{−R/Rd} out to the cutoff, σ_R ∝ e^{−R/Rσ} with Toomre's Q or σ_R given at 2.5 Rd; the rest is as
 * disk-model.ts has it.
 * Sources: Freeman 1970, ApJ 160, 811; van der Kruit & Searle 1981, A&A 95, 105; Aubert, Amini & David 2009, section 3.1.
 */
import { derived, positive, positiveNumber, required, STAND_IN } from "../../foundation/deck/keys.ts";
import { type Disk, type DiskForm, diskBehaviour, diskKeys } from "./disk-model.ts";
import { cutoffFrom } from "./keys.ts";
import { initialModel } from "./model.ts";
import type { ParticleRandom } from "./philox.ts";

/** Below this cutoff, in scale lengths, fewer than one in eleven deviates of the infinite disk lies inside. */
const MOST_CUT = 0.5;

type ExponentialDisk = Disk & { scaleLength: number };

export const exponential = diskBehaviour<ExponentialDisk>(exponentialForm, { reference: 2.5, radius });

export const exponentialDisk = initialModel({
  name: "exponential-disk",
  meaning: "Disk, Σ ∝ exp(−R/Rd), as warm as Toomre's Q or σ_R says, in equilibrium with all about the same centre",
  species: "disk",
  keys: {
    ...diskKeys(
      "2.5 Rd",
      { scaleLength: required(positive, { unit: "length", meaning: "radial scale length Rd" }) },
      {
        sigmaLength: derived(
          positive,
          { text: "2 × scaleLength", value: ({ table }) => 2 * (positiveNumber(table.scaleLength) ?? STAND_IN) },
          { unit: "length", meaning: "Rσ of σ_R ∝ exp(−R/Rσ)" },
        ),
      },
    ),
    cutoff: cutoffFrom("scaleLength", 6, "cylindrical radius where the disk ends"),
  },
  scales: ["scaleLength"],
  ...exponential,
});

function exponentialForm({ mass, scaleLength, cutoff }: ExponentialDisk): DiskForm {
  const inside = diskMassFraction(cutoff / scaleLength);
  const central = mass / (2 * Math.PI * scaleLength * scaleLength * inside);
  const amplitude = central * scaleLength ** 2;
  return {
    scale: scaleLength,
    share: diskMassFraction,
    surfaceDensity: (R) => central * Math.exp(-R / scaleLength),
    densitySlope: (R) => -R / scaleLength,
    spectrum: (k) => amplitude * (1 + (k * scaleLength) ** 2) ** -1.5,
  };
}

/** Mass fraction of an infinite exponential disk inside x = R/Rd: 1 − (1 + x) e^{−x}. */
export function diskMassFraction(x: number): number {
  return x < 1e-4 ? x * x * (0.5 - x / 3) : 1 - (1 + x) * Math.exp(-x);
}

/** R/Rd is the sum of two exponential deviates; of an even disk thinned by e^{−x} where hardly any lies inside. */
function radius({ cutoff, scaleLength }: ExponentialDisk): (random: ParticleRandom) => number {
  const thinned = cutoff < MOST_CUT * scaleLength;
  return (random) => {
    let R: number;
    do {
      R = thinned
        ? cutoff * Math.sqrt(random.uniform())
        : -scaleLength * Math.log((1 - random.uniform()) * (1 - random.uniform()));
    } while (thinned ? random.uniform() > Math.exp(-R / scaleLength) : R > cutoff);
    return R;
  };
}
