/**
 * What rank 0 has the other ranks of a run do: one order after another, each broadcast. What an order says is done by all
 * ranks at the same time, so that they meet where sums go over all of them.
 */

import type { DirectPipelineSettings } from "../direct/settings.ts";
import type { DrawRecipe } from "../initial/share.ts";
import type { PipelineSettings } from "../mesh/settings.ts";
import type { BlockRequest } from "../particles/blocks.ts";
import type { ArrayType } from "../particles/saved-arrays.ts";
import type { ComponentRange } from "../particles/state.ts";
import type { Ranks } from "../ranks/ranks.ts";
import type { Seat } from "../ranks/seat.ts";

/** An array of a state: where each rank has a share of it, how many words a particle has. */
export interface ArrayPlan {
  name: string;
  type: ArrayType;
  length: number;
  /** Undefined for one that every rank has as a whole. */
  perParticle?: number;
}

/** What is reduced over the particles. */
export const REDUCTION_CALLS = [
  ...(["maps", "centre", "meanVelocity", "radius", "shells", "rings"] as const),
  ...(["waves", "multipoles", "velocityMaps"] as const),
] as const;
export type ReductionCall = (typeof REDUCTION_CALLS)[number];

/** Of a direct sum (direct.ts). */
export type DirectOrder =
  | {
      what: "create";
      settings: DirectPipelineSettings;
      components: readonly ComponentRange[];
      /** In float64 on the CPU otherwise. */
      onGpu: boolean;
      worth: number | undefined;
      /** Arrays of the particles, which follow. */
      plans: readonly ArrayPlan[];
    }
  | { what: "advance"; steps: number; dt: number; submission?: number }
  | { what: "sums" | "extremes" | "forces" }
  | { what: "restore"; format: string; plans: readonly ArrayPlan[] };

/** `pipeline`: its number; there may be several. */
export type Order = { pipeline: number } & (
  | {
      do: "create";
      settings: PipelineSettings;
      components: readonly ComponentRange[];
      /** Masses that differ within a run of ids follow as arrays. */
      masses: readonly { first: number; count: number; mass: number | null }[];
      /** Where each rank can draw its own particles. */
      recipe?: DrawRecipe | undefined;
      /** Of each rank: those of a group have one solution of the mesh, which the first of them finds. */
      groups: readonly number[];
    }
  | { do: "follow" | "sums" | "extremes" | "save" | "destroy" }
  /** Of the stages: to tell them, or to begin anew. */
  | { do: "times" | "reset times" }
  | { do: "blocks"; want: BlockRequest }
  | { do: "spectrum"; cells: number }
  | { do: "task"; name: string; about: unknown }
  | { do: "column"; name: string }
  | { do: "restore"; format: string; arrays: readonly ArrayPlan[] }
  | { do: "reduce"; call: ReductionCall; values: readonly unknown[] }
  | { do: "direct"; order: DirectOrder }
  /** Modules that add to the lists of gravmesh. */
  | { do: "load"; files: readonly string[] }
  | { do: "hello" }
  | { do: "end" }
);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** JSON has no infinite numbers; no table of a deck has a key like this. */
const NUMBER = "not finite";
const plain = (_: string, value: unknown) =>
  typeof value === "number" && !Number.isFinite(value) ? { [NUMBER]: String(value) } : value;

function numbered(_: string, value: unknown): unknown {
  return value !== null && typeof value === "object" && NUMBER in value ? Number(value[NUMBER]) : value;
}

/** Of rank 0; the others `hear` it. */
export async function tell(ranks: Ranks, order: Order): Promise<void> {
  await ranks.broadcast(encoder.encode(JSON.stringify(order, plain)));
}

export async function hear(ranks: Ranks): Promise<Order> {
  return JSON.parse(decoder.decode(await ranks.broadcast(undefined)), numbered) as Order;
}

/** What a rank says of itself. */
export interface Greeting {
  adapter?: string;
  /** It computes on the cores. */
  software?: boolean;
  seat?: Seat;
  /** Why it has none. */
  fault?: string;
}

/** What every rank says, in the order of ranks, on rank 0; undefined on the others. */
export async function answers<T>(ranks: Ranks, mine: T): Promise<T[] | undefined> {
  const all = await ranks.gather(encoder.encode(JSON.stringify(mine, plain)));
  return all?.map((bytes) => JSON.parse(decoder.decode(bytes), numbered) as T);
}
