/** What rank 0 has the other ranks of a run do: plain data. */
import type { DirectPipelineSettings } from "../direct/settings.ts";
import type { DrawRecipe } from "../initial/share.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import type { ArrayType } from "../particles/saved-arrays.ts";
import type { ComponentRange } from "../particles/state.ts";

/** An array of a state: where each rank has a share of it, how many words a particle has. */
export interface ArrayPlan {
  name: string;
  type: ArrayType;
  length: number;
  /** Undefined for one that every rank has as a whole. */
  perParticle?: number;
}

/** Particles that each rank has a share of. Masses that differ within a run of ids, null here, follow as arrays. */
export interface Announced {
  components: readonly ComponentRange[];
  masses: readonly { first: number; count: number; mass: number | null }[];
}

export interface MeshRecipe extends Announced {
  settings: PipelineSettings;
  /** Where each rank can draw its own particles. */
  drawn?: DrawRecipe | undefined;
  /** The group of each rank: those of a group have one solution of the mesh, which the first of them finds. */
  groups: readonly number[];
}

export interface DirectRecipe {
  settings: DirectPipelineSettings;
  components: readonly ComponentRange[];
  /** In float64 on the CPU otherwise. */
  onGpu: boolean;
  worth: number | undefined;
  /** Arrays of the particles, which follow. */
  plans: readonly ArrayPlan[];
}

/** `number`: that of a pipeline, by which all ranks know it. */
export type Order =
  | { do: "mesh"; number: number; recipe: MeshRecipe }
  | { do: "direct"; number: number; recipe: DirectRecipe }
  /** A function of joint-work.ts. */
  | { do: "work"; number: number; work: string; about: unknown }
  | { do: "destroy"; number: number }
  /** Modules that add to the lists of gravmesh. */
  | { do: "load"; files: readonly string[] }
  | { do: "hello" | "end" };
