/** The one error class of the project: a kind that callers can act on, and a message for a person. */

export type ErrorKind = "usage" | "scenario" | "input" | "memory" | "device" | "numerical" | "io" | "aborted";

export class GravmeshError extends Error {
  readonly kind: ErrorKind;

  /** `message` says where, what was expected, what was found and what to try. */
  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "GravmeshError";
    this.kind = kind;
  }
}
