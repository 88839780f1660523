/** Submissions one behind the other: while one runs the next is recorded, so that the device needn't wait for the host. */
import type { Batch } from "./batch.ts";

export class InTurn {
  #running: Promise<void> | undefined;
  /** The one that runs is submitted part by part, so that nothing may be submitted before it has ended. */
  #inParts = false;
  #ended = 0;

  /**
   * Submits, and waits for the submission before. `finished`: when this one is done, with the time it took [ms], recording
   * included where the device had nothing else to do (`since`: when that began). Throws what the one before failed with.
   */
  async send(batch: Batch, since: number, finished: (ms: number) => void): Promise<void> {
    const before = this.#running;
    if (this.#inParts) await before;
    this.#inParts = batch.inParts;
    this.#running = batch.submit().then(() => {
      const now = performance.now();
      finished(now - Math.max(since, this.#ended));
      this.#ended = now;
    });
    this.#running.catch(() => {}); // reported by the next `send` or `drain`
    await before;
  }

  /** Waits for the last submission. Throws what it failed with. */
  async drain(): Promise<void> {
    await this.#running;
  }
}
