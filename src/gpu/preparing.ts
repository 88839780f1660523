/**
 * What is done on a device before the first step, told to whoever waits for it, kernel by kernel. Nobody knows beforehand
 * how many there will be.
 */
export class Preparing {
  #hear: ((what: string) => void) | undefined;
  #kernels = 0;

  /** Tells `hear` until the function returned is called, or somebody else asks. */
  tellTo(hear: (what: string) => void): () => void {
    this.#hear = hear;
    this.#kernels = 0;
    return () => {
      if (this.#hear === hear) this.#hear = undefined;
    };
  }

  does(what: string): void {
    this.#hear?.(what);
  }

  compiles(kernel: string): void {
    this.does(`compiling kernel ${++this.#kernels}, ${kernel}`);
  }
}
