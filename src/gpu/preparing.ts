/**
 * What is done on a device before the first step, told to whoever waits for it: kernels are compiled, shapes of them
 * measured. Nobody knows beforehand how many kernels there will be: which are needed hangs on what the shapes are found
 * to take.
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

  /** `index` from 0; undefined where all that are left run in turns. */
  measures(stage: string, names: readonly string[], index?: number): void {
    const which = index === undefined ? "in turns" : `${index + 1} of ${names.length}, ${names[index]}`;
    this.does(`measuring shapes of the ${stage}, ${which}`);
  }
}
