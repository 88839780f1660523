/** Kernels of pictures by name, compiled when they are first asked for, and again after a failure. */
export class Kept<T> {
  readonly #kept = new Map<string, Promise<T>>();

  get(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(name) ?? make();
    this.#kept.set(name, known);
    known.catch(() => this.#kept.delete(name));
    return known;
  }
}
