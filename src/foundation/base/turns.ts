/** Asynchronous calls of one object, carried out one after the other in the order in which they are made. */
import { GravmeshError } from "./errors.ts";

export class TaskQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #closed: Promise<void> | undefined;
  /** A loop that has begun and not ended: its own calls alone are carried out. */
  #loop: { end: () => unknown } | undefined;

  /** `name`: that of the object, for messages. */
  constructor(private readonly name: string) {}

  /** Throws "usage" when it is closed. */
  requireOpen(): void {
    if (this.#closed) throw new GravmeshError("usage", `this ${this.name} was destroyed; create another`);
  }

  /** Throws "usage" when it is closed, and while another loop than `loop` is under way. */
  async take<T>(call: () => T | Promise<T>, loop?: object): Promise<T> {
    this.requireOpen();
    this.#waiting++;
    const result = this.#last.then(() => {
      if (!this.#loop || this.#loop === loop) return call();
      // A call that waited for the loop would wait for ever where the loop waits for the call.
      throw new GravmeshError("usage", `a loop over this ${this.name}'s blocks is under way; call when it has ended`);
    });
    this.#last = result.catch(() => {}).finally(() => this.#waiting--);
    return result;
  }

  /** What `make` gives, piece by piece, each in turn. From the first piece to the end other calls are refused. */
  async *loop<T>(make: () => AsyncIterable<T>): AsyncGenerator<T> {
    let items: AsyncIterator<T> | undefined;
    const loop = { end: () => items?.return?.() };
    const next = () => {
      items ??= make()[Symbol.asyncIterator]();
      this.#loop = loop;
      return items.next();
    };
    try {
      for (let item = await this.take(next, loop); !item.done; item = await this.take(next, loop)) yield item.value;
    } finally {
      if (this.#loop === loop) await this.take(loop.end, loop);
      if (this.#loop === loop) this.#loop = undefined;
    }
  }

  /** `of`, each of whose methods takes its turn. */
  each<T extends object>(of: T): T {
    const get = (target: T, key: string | symbol) => {
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? (...args: unknown[]) => this.take(() => value.apply(target, args)) : value;
    };
    return new Proxy(of, { get });
  }

  /** Refuses further calls, and does `last` when earlier ones are done: at once where there are none. */
  close(last: () => unknown): Promise<void> {
    const end = async () => {
      if (this.#loop) await this.#loop.end();
      this.#loop = undefined;
      await last();
    };
    this.#closed ??= this.#waiting === 0 ? end() : this.#last.then(end);
    return this.#closed;
  }
}
