/**
 * Where the particles are in a step. A stage asserts the phase that it needs when it is recorded, and leaves the next:
 *
 *   moved → [count] → counted → [order] → sorted → [deposit] → deposited → [force] → accelerated → [update] → counted …
 *
 * or, where levels take substeps, accelerated → [update] → drifted → [force of levels] → pulled → [update] → drifted …
 * until the last update counts them; where pairs do, … → [update] → counted → [order] → sorted → [pairs] → pulled → …
 */

/**
 * "moved": nothing is known of the positions. "counted": particles are counted into cells. "sorted": they lie in cell
 * order, with the cells' starts. "deposited": their mass is on the mesh. "accelerated": the force mesh is theirs. "drifted": moved within a
 * step, in the order of its beginning. "pulled": the force of levels or pairs is theirs.
 */
export type Phase = "moved" | "counted" | "sorted" | "deposited" | "accelerated" | "drifted" | "pulled";

export class StepPhase {
  #now: Phase = "moved";

  get now(): Phase {
    return this.#now;
  }

  /** Whether the particles of a cell lie where its start says. */
  get inOrder(): boolean {
    return this.#now === "sorted" || this.#now === "deposited" || this.#now === "accelerated";
  }

  /** Throws with both phases unless the particles are in one of `expected`. */
  expect(stage: string, ...expected: Phase[]): void {
    if (expected.includes(this.#now)) return;
    throw new Error(`${stage}: expected particles that are ${expected.join(" or ")}, found them ${this.#now}`);
  }

  /** A stage takes the particles from one phase to another. */
  advance(stage: string, from: Phase, to: Phase): void {
    this.expect(stage, from);
    this.#now = to;
  }

  /** Counted anew, from any phase: all that counting needs is positions. */
  recount(): void {
    this.#now = "counted";
  }

  /** Other positions, or cell starts that are lost. */
  reset(): void {
    this.#now = "moved";
  }
}
