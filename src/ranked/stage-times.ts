/** Stage times of all ranks. */
import type { StageTime } from "../backend/backend.ts";
import type { Ranks } from "../ranks/ranks.ts";

/** Of each rank, on rank 0; of no rank on the others. */
export async function gatheredTimes(ranks: Ranks, own: readonly StageTime[]): Promise<StageTime[][]> {
  const all = await ranks.gather(new TextEncoder().encode(JSON.stringify(own)));
  return (all ?? []).map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as StageTime[]);
}
