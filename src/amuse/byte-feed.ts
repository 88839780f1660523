/** Bytes that come in pieces of any length, taken in lengths that are asked for. */

export class ByteFeed {
  readonly #pieces: Uint8Array[] = [];
  #ended: Error | undefined;
  #wake = () => {};

  /** `taken` is called for every piece that no longer lies here. */
  constructor(private readonly taken: () => void = () => {}) {}

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#wake();
  }

  /** There are no more than have come: whoever wants more gets `why`. */
  end(why: Error): void {
    this.#ended ??= why;
    this.#wake();
  }

  /** The next bytes in a buffer of their own; by one caller at a time. */
  readonly take = async (bytes: number): Promise<Uint8Array<ArrayBuffer>> => {
    const target = new Uint8Array(bytes);
    for (let filled = 0; filled < bytes; ) {
      const [piece] = this.#pieces;
      if (piece) {
        const part = piece.subarray(0, bytes - filled);
        target.set(part, filled);
        filled += part.length;
        if (part.length < piece.length) this.#pieces[0] = piece.subarray(part.length);
        else {
          this.#pieces.shift();
          this.taken();
        }
      } else if (this.#ended) throw this.#ended;
      else await new Promise<void>((come) => (this.#wake = come));
    }
    return target;
  };
}
