/** What `npm run test:long` tries in full, `npm test` tries in a selection that reaches every branch of the code. */
export function inFull<T>(all: readonly T[], selection: readonly T[]): readonly T[] {
  return process.env.GRAVMESH_LONG ? all : selection;
}
