/** Initial particles on ranks: each draws those of models for its own ids; rank 0 sends all others by blocks. */

import { agreed, answers, type Ranks, shareOf } from "../../foundation/ranks/ranks.ts";
import { drawable, type ShareReport } from "../../physics/initial/share.ts";
import type { DrawnParts } from "../../physics/initial/source.ts";
import { ParticleMasses } from "../../physics/particles/masses.ts";
import type { ParticleSource, SourceBlock } from "../../physics/particles/source.ts";
import { type Announced, soundForAll } from "./rank-channel.ts";
import { packed, unpacked } from "./relay.ts";

export const announced = ({ components, masses }: ParticleSource): Announced => ({
  components,
  masses: masses.runs.map(({ mass, ...run }) => ({ ...run, mass: typeof mass === "number" ? mass : null })),
});

/**
 * The source of what each rank has set up; undefined where one couldn't (models that are registered on rank 0 alone).
 * After the last block all ranks throw AgreedFault for what one process would refuse.
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

/** Rank 0's source: the others get its blocks as they are asked for, after masses that differ, and its fault. */
export function sentSource(ranks: Ranks, source: ParticleSource): ParticleSource {
  return {
    ...source,
    set: undefined,
    async *blocks() {
      for (const { mass } of source.masses.runs) {
        if (typeof mass !== "number")
          await ranks.broadcast(new Uint8Array(mass.buffer, mass.byteOffset, mass.byteLength));
      }
      const blocks = source.blocks()[Symbol.asyncIterator]();
      let next: IteratorResult<SourceBlock> | { fault: unknown };
      try {
        for (;;) {
          next = await blocks.next().catch((fault: unknown) => ({ fault }));
          if ("fault" in next || next.done) break;
          const { first, count, positions, velocities } = next.value;
          const [x, v] = [positions.subarray(0, 3 * count), Float32Array.from(velocities.subarray(0, 3 * count))];
          await ranks.broadcast(packed({ first, count, positions: x, velocities: v }));
          yield next.value;
        }
      } finally {
        await blocks.return?.();
      }
      await ranks.broadcast(new Uint8Array(0));
      await soundForAll(ranks, () => {
        if ("fault" in next) throw next.fault;
      });
    },
  };
}

/** The same on another rank. */
export async function receivedSource(ranks: Ranks, { components, masses }: Announced): Promise<ParticleSource> {
  const runs = [];
  for (const { first, count, mass } of masses) {
    const values = mass ?? new Float64Array((await ranks.broadcast(undefined)).slice().buffer);
    runs.push({ first, count, mass: values });
  }
  const all = new ParticleMasses(runs);
  return {
    ...{ count: all.count, components, masses: all, bits: 32 },
    async *blocks() {
      for (;;) {
        const bytes = await ranks.broadcast(undefined);
        if (bytes.length === 0) return await soundForAll(ranks, () => {});
        yield unpacked<SourceBlock>(bytes);
      }
    },
  };
}
