/** Frames that were asked for lately: one is made at a time, and as many are kept as find room. */

/** Room for frames [byte]. */
const MOST_BYTES = 128 * 2 ** 20;

export class FrameStore {
  /** The one that was asked for last stands last. */
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  readonly #sizes = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  /** Made when it isn't there. */
  get(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const found = this.#kept.get(name) ?? this.#inTurn(name, make);
    this.#kept.delete(name);
    this.#kept.set(name, found);
    return found;
  }

  #inTurn(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const coming = this.#last.then(() => make());
    this.#last = coming.then(
      ({ length }) => this.#keep(name, length),
      () => this.#kept.delete(name),
    );
    return coming;
  }

  /** Lets those go that weren't asked for the longest. */
  #keep(name: string, length: number): void {
    this.#sizes.set(name, length);
    let sum = [...this.#sizes.values()].reduce((all, one) => all + one, 0);
    for (const old of this.#kept.keys()) {
      if (sum <= MOST_BYTES || old === name) continue;
      sum -= this.#sizes.get(old) ?? 0;
      if (this.#sizes.delete(old)) this.#kept.delete(old);
    }
  }
}
