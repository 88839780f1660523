/** Rank 0's talk with the other ranks: one order after another, and what is to be remembered between them. */
import { GravmeshError } from "../base/errors.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { AgreedFault } from "./agreed-fault.ts";
import { type Order, tell } from "./orders.ts";

export class Conversation {
  /** Of each run's ranks: several runs in a process know nothing of each other. */
  static readonly #all = new WeakMap<Ranks, Conversation>();
  #pipelines = 0;
  /** What goes with the next order. */
  readonly #later: Order[] = [];
  /** Orders that all are carrying out. */
  #together = 0;

  private constructor(private readonly ranks: Ranks) {}

  static of(ranks: Ranks): Conversation {
    const known = Conversation.#all.get(ranks) ?? new Conversation(ranks);
    Conversation.#all.set(ranks, known);
    return known;
  }

  /** The number that all ranks know a new pipeline by. */
  newPipeline(): number {
    return this.#pipelines++;
  }

  async tell(order: Order): Promise<void> {
    for (const earlier of this.#later.splice(0)) await tell(this.ranks, earlier);
    await tell(this.ranks, order);
  }

  /** Has a pipeline destroyed with the next order. */
  leave(pipeline: number): void {
    this.later({ do: "destroy", pipeline });
  }

  /** Has an order told with the next one, by who can't wait. */
  later(order: Order): void {
    this.#later.push(order);
  }

  /** An order that is carried out; all ranks stop at the same step, so that an aborted one is done, too. */
  async jointly<T>(work: () => Promise<T>): Promise<T> {
    this.#together += 1;
    try {
      const result = await work();
      this.#together -= 1;
      return result;
    } catch (error) {
      const stopped = error instanceof GravmeshError && error.kind === "aborted";
      if (stopped || error instanceof AgreedFault) this.#together -= 1;
      throw error;
    }
  }

  /** False where the others can't be told, because rank 0 has failed in the midst of something that all do together. */
  async end(): Promise<boolean> {
    if (this.#together > 0) return false;
    await this.tell({ do: "end", pipeline: 0 });
    return true;
  }
}
