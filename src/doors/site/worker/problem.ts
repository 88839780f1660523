/** What went wrong, in words for the user. */
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { DeviceLost, KernelRefused } from "../../../foundation/gpu/faults.ts";
import { DeckError } from "../../../scenario/problems.ts";
import type { StageProblem } from "../stage.ts";

export class AdvisedError extends GravmeshError {
  constructor(
    kind: GravmeshError["kind"],
    message: string,
    readonly advice: readonly string[],
    options?: ErrorOptions,
  ) {
    super(kind, message, options);
  }
}

/** A run that waits for its reader to ask for it. */
export class LargeRun extends GravmeshError {}

/** All that an error tells; of a deck one for each thing that is wrong with it. */
export function problemsIn(error: unknown): StageProblem[] {
  if (error instanceof DeckError) {
    return error.problems.map(({ message, line }) => ({ kind: "scenario", message, ...(line && { line }) }));
  }
  if (error instanceof GravmeshError) {
    const advice = error instanceof AdvisedError && error.advice.length > 0 ? { advice: error.advice } : {};
    return [{ kind: error.kind, message: error.message, ...advice, ...deviceFault(error) }];
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return [{ kind: "internal", message }];
}

/** What is wrong more closely, by what the error comes from. */
function deviceFault(error: Error): Partial<StageProblem> {
  if (error instanceof LargeRun) return { kind: "large" };
  if (error instanceof DeviceLost) return { kind: "lost" };
  if (error instanceof KernelRefused) return { kind: "kernel", advice: REFUSED };
  return error.cause instanceof Error ? deviceFault(error.cause) : {};
}

const REFUSED = [
  "another browser may take it, or a newer version of this one: the link of this page opens the same run there",
  "on the command line `gravmesh run` has a compiler of its own",
];

/** The first of them, with all in its message. */
export function problemIn(error: unknown): StageProblem {
  const [first, ...rest] = problemsIn(error);
  if (rest.length === 0) return first;
  const lines = [first, ...rest].map(({ line, message }) => (line ? `line ${line}: ${message}` : message));
  return { ...first, message: lines.join("\n") };
}
