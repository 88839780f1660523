/**
 * Growth rates γ of the radial-orbit instability, l = 2, in Osipkov–Merritt spheres, by linear response and by N-body.
 * Source: Petersen et al. 2024, MNRAS 530, 4378 (arXiv:2311.10630). G = M = b = 1.
 */

export const KINDS = ["isochrone", "plummer"] as const;
export type Kind = (typeof KINDS)[number];

/** r_a [b] and γ [√(GM/b³)]. */
export const GROWTH: Record<Kind, readonly (readonly [anisotropyRadius: number, rate: number])[]> = {
  isochrone: [[1, 0.0229]],
  plummer: [
    [0.75, 0.047],
    [0.8, 0.0377],
    [0.85, 0.0289],
    [0.9, 0.0204],
    [0.95, 0.0124],
    [1, 0.0046],
  ],
};

/** A Plummer sphere is stable from this r_a on [b]. */
export const STABLE_PLUMMER = 1.035;
