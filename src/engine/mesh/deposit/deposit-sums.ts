/** The deposit of each mass assignment in integers: what its kernels import, and how the host splits a mass. */
import directTsc from "../../../../wgsl/engine/mesh/deposit/deposit-direct-tsc.wgsl";
import rowsCic from "../../../../wgsl/engine/mesh/deposit/deposit-rows-cic.wgsl";
import rowsTsc from "../../../../wgsl/engine/mesh/deposit/deposit-rows-tsc.wgsl";
import runsCic from "../../../../wgsl/engine/mesh/deposit/deposit-runs-cic.wgsl";
import runsNgp from "../../../../wgsl/engine/mesh/deposit/deposit-runs-ngp.wgsl";
import runsTsc from "../../../../wgsl/engine/mesh/deposit/deposit-runs-tsc.wgsl";
import type { WgslSource } from "../../../foundation/gpu/compose.ts";
import type { Assignment } from "../../../physics/particles/assignments.ts";

interface DepositSums {
  /** The sums of deposit-slots.wgsl. */
  runs: WgslSource;
  /** The same in runs of one particle, where that has quicker ones. */
  direct?: WgslSource;
  /** The sums of deposit-rows.wgsl; "cells" where a cell has the mass of its own particles alone. Without any, no deposit by rows. */
  rows?: WgslSource | "cells";
  /** Masses of the touched cells of one axis, the lowest first; the twin of lib/mass.wgsl. `offset` in 2⁻²⁴ of a cell. */
  split(mass: number, offset: number, parts: Float64Array): void;
}

/** One in the fixed point of weights. */
const ONE = 2 ** 24;

/** round(mass · weight / 2^24), exact: the product is below 2^53. */
function weightedMass(mass: number, weight: number): number {
  return Math.floor((mass * weight + ONE / 2) / ONE);
}

export const depositSums: Readonly<Record<Assignment, DepositSums>> = {
  ngp: {
    runs: runsNgp,
    rows: "cells",
    split(mass, _offset, parts) {
      parts[0] = mass;
    },
  },
  cic: {
    runs: runsCic,
    rows: rowsCic,
    split(mass, offset, parts) {
      parts[1] = weightedMass(mass, offset);
      parts[0] = mass - parts[1];
    },
  },
  tsc: {
    runs: runsTsc,
    direct: directTsc,
    rows: rowsTsc,
    split(mass, offset, parts) {
      const outer = Math.floor((offset * offset + ONE) / (2 * ONE)); // o²/2, rounded
      parts[0] = weightedMass(mass, ONE / 2 - offset + outer);
      parts[2] = weightedMass(mass, outer);
      parts[1] = mass - parts[0] - parts[2];
    },
  },
};
