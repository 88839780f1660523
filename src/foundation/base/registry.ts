/** Records by name, those that ship and those that a program adds; all simulations of a process share them. */
import { GravmeshError } from "./errors.ts";

export class Registry<R extends { readonly name: string }> {
  /** What the records are, in messages: "initial model". */
  readonly what: string;
  readonly #records = new Map<string, R>();
  #version = 0;

  constructor(what: string, records: readonly R[]) {
    this.what = what;
    for (const record of records) this.add(record);
  }

  /** Counts the additions, so that what is derived from the records knows when it is stale. */
  get version(): number {
    return this.#version;
  }

  get names(): string[] {
    return [...this.#records.keys()];
  }

  get records(): R[] {
    return [...this.#records.values()];
  }

  /** Throws "usage" when the name is taken. */
  add(record: R): void {
    if (this.#records.has(record.name)) {
      throw new GravmeshError("usage", `${this.what} "${record.name}" is there already: choose another name`);
    }
    this.#records.set(record.name, record);
    this.#version += 1;
  }

  has(name: string): boolean {
    return this.#records.has(name);
  }

  /** Throws "usage" with the names that there are. */
  get(name: string): R {
    const record = this.#records.get(name);
    if (record) return record;
    throw new GravmeshError("usage", `no ${this.what} is called "${name}"; there are: ${this.names.join(", ")}`);
  }
}
