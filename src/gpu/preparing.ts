/** Reports what is done on a device before the first step, kernel by kernel; nobody knows how many there will be. */
export class Preparing {
  #report: ((what: string) => void) | undefined;
  #kernels = 0;

  /** Calls `report` until the function returned is called, or another takes its place. */
  reportTo(report: (what: string) => void): () => void {
    this.#report = report;
    this.#kernels = 0;
    return () => {
      if (this.#report === report) this.#report = undefined;
    };
  }

  does(what: string): void {
    this.#report?.(what);
  }

  compiles(kernel: string): void {
    this.does(`compiling kernel ${++this.#kernels}, ${kernel}`);
  }
}
