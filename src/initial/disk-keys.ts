/** Keys that disks share. */
import { choice, derived, nonNegative, optional, positiveNumber } from "../deck/keys.ts";
import type { ComponentProblem } from "./model.ts";

const DEFAULT_Q = 1.2;

/** Toomre's Q or σ_R, `where` in words. */
export const warmth = (where: string) => ({
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
});

export function warmthProblems(disk: { mass: number; toomreQ: number; sigma: number }): ComponentProblem[] {
  const { mass, toomreQ, sigma } = disk;
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

export const layer = optional(choice("sech2", "isothermal", "exponential"), "sech2", {
  meaning:
    "vertical profile: sech²(z/z0), exp(−|z|/z0), or isothermal in the total field with the mean height of sech²(z/z0)",
});
