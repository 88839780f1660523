/**
 * The Poisson solvers of mesh.poisson, as a deck has them: what each is, what it refuses and what it holds. What solves
 * is in poisson.ts (GPU) and reference/mesh/poisson.ts (float64), lists with the same names.
 */
import type { Problem } from "../deck/problems.ts";
import type { RangeLimits } from "../gpu/windows.ts";
import type { Boundary } from "../particles/box.ts";
import { fftMethod } from "./fft-method.ts";
import { multigridMethod } from "./multigrid-method.ts";
import type { MultigridSettings } from "./multigrid-settings.ts";

export interface PoissonMethodRecord {
  /** Half a sentence for the deck's documentation. */
  meaning: string;
  /** Its Green's function is that of mesh.green or mesh.kernel. */
  greenFunction?: true;
  /** A solve starts from the potential of the last. */
  warmStart?: true;
  /** What is wrong with the tables [mesh] and [multigrid] when this solver is asked for. */
  problems(mesh: { cells: number; gradient: string }, multigrid: MultigridSettings): Problem[];
  /** Bytes on the GPU beside the mesh's own buffers, and the largest array among them that must lie in one piece. */
  bytes(
    mesh: { cells: number; gradient: string },
    boundary: Boundary,
    limits: RangeLimits,
  ): { all: number; binding: number };
}

export const poissonMethods = { fft: fftMethod, multigrid: multigridMethod } satisfies Record<
  string,
  PoissonMethodRecord
>;
export type PoissonMethod = keyof typeof poissonMethods;
