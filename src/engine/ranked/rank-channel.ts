/** Rank 0 broadcasts one order after another; all ranks carry each out at the same time, so that their sums meet. */
import { type ErrorKind, GravmeshError } from "../../foundation/base/errors.ts";
import { agreed, type Ranks } from "../../foundation/ranks/ranks.ts";
import type { DrawRecipe } from "../../physics/initial/share.ts";
import type { ArrayType } from "../../physics/particles/saved-arrays.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import type { DirectPipelineSettings } from "../direct/settings.ts";
import type { PipelineSettings } from "../mesh/settings.ts";

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
  /** The group of each rank, the first of which solves the mesh for it. */
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
  | { do: "work"; number: number; work: string; about: unknown }
  | { do: "destroy"; number: number }
  | { do: "load"; files: readonly string[] }
  | { do: "hello" | "end" };

/** A fault on one rank that was reported to all, so that they have stopped at the same place. */
export class AgreedFault extends GravmeshError {}

/** Throws on every rank what `look` throws on rank 0. */
export async function soundForAll(ranks: Ranks, look: () => void): Promise<void> {
  const fault = await agreed(ranks, (): { kind: ErrorKind; message: string } | null => {
    try {
      look();
      return null;
    } catch (error) {
      if (error instanceof GravmeshError) return { kind: error.kind, message: error.message };
      throw error;
    }
  });
  if (fault) throw new AgreedFault(fault.kind, fault.message);
}

/** Whether an error ends a work at the same place on all ranks. `alike`: all ranks compute the same. */
export function endsOnAll(error: unknown, alike = false): boolean {
  if (!(error instanceof GravmeshError)) return false;
  return error instanceof AgreedFault || error.kind === "aborted" || (alike && error.kind === "numerical");
}

export class RankChannel {
  /** One for the ranks of each run. */
  static readonly #all = new WeakMap<Ranks, RankChannel>();
  #pipelines = 0;
  readonly #later: Order[] = [];
  #together = 0;

  private constructor(private readonly ranks: Ranks) {}

  static of(ranks: Ranks): RankChannel {
    const known = RankChannel.#all.get(ranks) ?? new RankChannel(ranks);
    RankChannel.#all.set(ranks, known);
    return known;
  }

  newNumber(): number {
    return this.#pipelines++;
  }

  async #send(order: Order): Promise<void> {
    for (const next of [...this.#later.splice(0), order]) await agreed(this.ranks, () => next);
  }

  /** Sends an order with the next one, for a caller that can't wait. */
  later(order: Order): void {
    this.#later.push(order);
  }

  async jointly<T>(order: Order, work: () => Promise<T>, alike = false): Promise<T> {
    this.#together += 1;
    try {
      await this.#send(order);
      const result = await work();
      this.#together -= 1;
      return result;
    } catch (error) {
      if (endsOnAll(error, alike)) this.#together -= 1;
      throw error;
    }
  }

  async end(): Promise<boolean> {
    if (this.#together > 0) return false;
    await this.#send({ do: "end" });
    return true;
  }
}

/** On another rank: the next order of rank 0. */
export const nextOrder = (ranks: Ranks): Promise<Order> =>
  agreed(ranks, () => {
    throw new Error("rank 0 gives orders and takes none");
  });

/** On rank 0: makes the others load `files` before the next order. A rank that can't ends the run with its message. */
export function loadOnOthers(ranks: Ranks | undefined, files: readonly string[]): void {
  if (!ranks || ranks.size === 1 || files.length === 0) return;
  RankChannel.of(ranks).later({ do: "load", files });
}

/** Ends the others' service. False where rank 0 has failed in the midst of something that all do together. */
export async function endService(ranks: Ranks): Promise<boolean> {
  return ranks.size === 1 || RankChannel.of(ranks).end();
}
