/** Bytes that come in pieces of any length, taken in lengths that are asked for. */

export class ByteFeed {
  readonly #pieces: Uint8Array[] = [];
  #wanted:
    | { target: Uint8Array<ArrayBuffer>; filled: number; resolve: () => void; reject: (why: Error) => void }
    | undefined;
  #ended: Error | undefined;

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#fill();
  }

  /** There are no more than have come: whoever wants more gets `why`. */
  end(why: Error): void {
    this.#ended ??= why;
    this.#fill();
  }

  /** The next bytes in a buffer of their own; by one caller at a time. */
  readonly take = async (bytes: number): Promise<Uint8Array<ArrayBuffer>> => {
    const target = new Uint8Array(bytes);
    await new Promise<void>((resolve, reject) => {
      this.#wanted = { target, filled: 0, resolve, reject };
      this.#fill();
    });
    return target;
  };

  #fill(): void {
    const wanted = this.#wanted;
    if (!wanted) return;
    while (wanted.filled < wanted.target.length && this.#pieces.length > 0) {
      const piece = this.#pieces[0];
      const part = piece.subarray(0, wanted.target.length - wanted.filled);
      wanted.target.set(part, wanted.filled);
      wanted.filled += part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    if (wanted.filled === wanted.target.length) wanted.resolve();
    else if (this.#ended) wanted.reject(this.#ended);
    else return;
    this.#wanted = undefined;
  }
}
