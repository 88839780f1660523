/** The one error class of the project: a kind that callers can act on, and a message for a person. */

export type ErrorKind = "usage" | "scenario" | "input" | "memory" | "device" | "numerical" | "io" | "aborted";

/** Messages are put together from others that may end with a mark of their own: one is enough. */
const endedOnce = (message: string) => message.replace(/(?<=[\p{L}\p{N})"'\]])([.?!])\.(?=\s|$)/gu, "$1");

export class GravmeshError extends Error {
  readonly kind: ErrorKind;

  /** `message` says where, what was expected, what was found and what to try. */
  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(endedOnce(message), options);
    this.name = "GravmeshError";
    this.kind = kind;
  }
}

/** Whether it was a caller's signal that ended something. */
export const isAborted = (error: unknown): boolean => error instanceof GravmeshError && error.kind === "aborted";

/** What `work` comes to; undefined where a caller's signal has ended it. */
export const unlessAborted = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error) => {
    if (isAborted(error)) return undefined;
    throw error;
  });
