/** Initial particles that are drawn from models: each rank draws those of its own ids, and none goes from rank to rank. */
import { drawable, type ShareReport } from "../initial/share.ts";
import type { DrawnParts } from "../initial/source.ts";
import type { ParticleSource } from "../particles/source.ts";
import { agreed, type Ranks, shareOf } from "../ranks/ranks.ts";
import { soundForAll } from "./agreed-fault.ts";
import { answers } from "./orders.ts";

/**
 * Of what each rank has set up; undefined where one of them couldn't, as of models that were registered on rank 0 alone.
 * After the last block all ranks throw AgreedFault for what one process would refuse of all particles.
 */
export async function drawnSource(
  ranks: Ranks,
  setUp: () => DrawnParts | Promise<DrawnParts>,
): Promise<ParticleSource | undefined> {
  const parts = await Promise.resolve()
    .then(setUp)
    .catch(() => undefined);
  const able = await answers(ranks, parts !== undefined);
  const all = await agreed(ranks, () => able!.every((one) => one));
  if (!all || !parts) return undefined;
  const drawn = drawable(parts);
  const { count, components, masses } = drawn;
  return {
    ...{ count, components, masses, bits: 32 },
    async *blocks() {
      const report: ShareReport = { outside: [] };
      yield* drawn.blocks(shareOf(count, ranks), report);
      const reports = await answers(ranks, report);
      await soundForAll(ranks, () => drawn.requireSound(reports!));
    },
  };
}
