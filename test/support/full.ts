import { it } from "vitest";

/** What `npm run test:long` tries in full, other runs try in a selection that reaches every branch of the code. */
export function inFull<T>(all: readonly T[], selection: readonly T[]): readonly T[] {
  return process.env.GRAVMESH_LONG ? all : selection;
}

/** A test that `npm run test:long` alone has the time for. */
export const itInFull = it.runIf(process.env.GRAVMESH_LONG !== undefined);
