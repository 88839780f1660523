/** Hands blocks of particles on in pieces that end where a file does. */
import type { ParticleBlock } from "../particles/blocks.ts";
import { common, type IdRange } from "./snapshot-rows.ts";

export class BlockFeed {
  readonly #blocks: AsyncIterator<ParticleBlock>;
  #block: ParticleBlock | undefined;

  constructor(blocks: AsyncIterable<ParticleBlock>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  /** All particles of a range, which follows the one before: pieces of blocks. Throws an Error where some are missing. */
  async *of(range: IdRange): AsyncGenerator<{ block: ParticleBlock; ids: IdRange }> {
    const end = range.first + range.count;
    for (let next = range.first; next < end; ) {
      if (this.#block === undefined || next >= this.#block.first + this.#block.count) {
        const { value, done } = await this.#blocks.next();
        if (done) throw new Error(`expected particles up to ${end}, got them up to ${next}`);
        this.#block = value as ParticleBlock;
      }
      const ids = common(range, this.#block);
      if (ids?.first !== next)
        throw new Error(`expected particles from ${next} on, got those from ${this.#block.first}`);
      yield { block: this.#block, ids };
      next += ids.count;
    }
  }

  /** Tells the blocks that no more of them are wanted. */
  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}
