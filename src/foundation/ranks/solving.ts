/** Which ranks solve the mesh: the first of each group, which hands its solution on to the others. */
import { type Ranks, SINGLE_RANK } from "./ranks.ts";

export interface Solving {
  /** The ranks that share a solution; the first of them solves. */
  group: Ranks;
  /** Those that solve; of use to them alone. */
  solvers: Ranks;
  oneForAll: boolean;
}

export interface Sharing {
  ranks?: Ranks | undefined;
  /** Each solves unless given. */
  solving?: Solving | undefined;
}

export const eachSolves = (ranks: Ranks): Solving => ({ group: SINGLE_RANK, solvers: ranks, oneForAll: false });

/** By the number of each rank's group; all ranks call it. */
export async function solvingBy(ranks: Ranks, groups: readonly number[]): Promise<Solving> {
  const different = new Set(groups).size;
  if (different === ranks.size) return eachSolves(ranks);
  if (different === 1) return { group: ranks, solvers: SINGLE_RANK, oneForAll: true };
  const group = await ranks.split(groups[ranks.rank]);
  return { group, solvers: await ranks.split(Math.min(group.rank, 1)), oneForAll: false };
}

/** Sums `words` on those that solve; one for all gets the others' sum, so that its own stays on its device. */
export async function sumOnSolvers({ group, solvers, oneForAll }: Solving, words: BigInt64Array): Promise<void> {
  if (oneForAll) return group.sumOfOthers(words);
  if (group.size > 1) await group.sumOnFirst(words);
  if (group.rank === 0 && solvers.size > 1) await solvers.sum(words);
}
