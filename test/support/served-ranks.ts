/** Runs on several ranks in one process: what rank 0 does while the others serve it. */
import { expect } from "vitest";
import { endService } from "../../src/engine/ranked/rank-channel.ts";
import { serve } from "../../src/engine/ranked/service.ts";
import type { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { Ranks } from "../../src/foundation/ranks/ranks.ts";
import { ranksTogether } from "./ranks.ts";

/** `work` on rank 0 of `size`; alone without ranks. The others have `gpu`. */
export async function servedRanks<T>(
  size: number,
  gpu: () => GpuContext,
  work: (ranks: Ranks | undefined) => Promise<T>,
): Promise<T> {
  if (size === 1) return work(undefined);
  const [first, ...others] = ranksTogether(size);
  const served = Promise.all(others.map((one) => serve(one, { acquire: async () => gpu() })));
  // Whoever fails ends it: the others would wait for it for ever.
  const result = await Promise.race([
    work(first),
    served.then(() => Promise.reject(new Error("the others have left"))),
  ]);
  expect(await endService(first)).toBe(true);
  await served;
  return result;
}
