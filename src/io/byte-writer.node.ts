/** A binary file that is written from its beginning to its end, with buffered writes. */
import { closeSync, openSync, writeSync } from "node:fs";

const BUFFER_BYTES = 2 ** 22;

export class ByteWriter {
  readonly #handle: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #held = 0;
  /** Bytes written so far. */
  position = 0;

  constructor(file: string) {
    this.#handle = openSync(file, "w");
  }

  /** `use` writes the file. */
  static async to(file: string, use: (out: ByteWriter) => Promise<void>): Promise<void> {
    const out = new ByteWriter(file);
    try {
      await use(out);
      out.#flush();
    } finally {
      closeSync(out.#handle);
    }
  }

  write(data: ArrayBufferView): void {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    for (let done = 0; done < bytes.length; ) {
      if (this.#held === this.#buffer.length) this.#flush();
      const piece = bytes.subarray(done, done + this.#buffer.length - this.#held);
      this.#buffer.set(piece, this.#held);
      this.#held += piece.length;
      this.position += piece.length;
      done += piece.length;
    }
  }

  /** ASCII or UTF-8. */
  text(text: string): void {
    this.write(new TextEncoder().encode(text));
  }

  #flush(): void {
    const start = this.position - this.#held;
    for (let done = 0; done < this.#held; ) {
      done += writeSync(this.#handle, this.#buffer, done, this.#held - done, start + done);
    }
    this.#held = 0;
  }
}
