/** Initial particles on their way from rank 0, which draws or reads them, to the ranks that hold them. */
import { ParticleMasses } from "../particles/masses.ts";
import type { ParticleSource, SourceBlock } from "../particles/source.ts";
import type { ComponentRange } from "../particles/state.ts";
import type { Ranks } from "../ranks/ranks.ts";
import { soundForAll } from "./agreed-fault.ts";

const HEAD_BYTES = 16;
const bytesOf = (array: Float64Array | Float32Array) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Rank 0's source, whose blocks the others get as they are asked for; masses that differ go before them. What ends it ends theirs. */
export function sentSource(ranks: Ranks, source: ParticleSource): ParticleSource {
  return {
    ...source,
    set: undefined,
    async *blocks() {
      for (const { mass } of source.masses.runs) if (typeof mass !== "number") await ranks.broadcast(bytesOf(mass));
      let fault: unknown;
      const blocks = source.blocks()[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await blocks.next().catch((error: unknown) => {
            fault = error;
          });
          if (!next || next.done) break;
          await ranks.broadcast(packedBlock(next.value));
          yield next.value;
        }
      } finally {
        await blocks.return?.();
      }
      await ranks.broadcast(new Uint8Array(0));
      await soundForAll(ranks, () => {
        if (fault) throw fault;
      });
    },
  };
}

function packedBlock({ first, count, positions, velocities }: SourceBlock): Uint8Array {
  const [x, v] = [positions.subarray(0, 3 * count), Float32Array.from(velocities.subarray(0, 3 * count))];
  const bytes = new Uint8Array(HEAD_BYTES + x.byteLength + v.byteLength);
  new Float64Array(bytes.buffer, 0, 2).set([first, count]);
  bytes.set(bytesOf(x), HEAD_BYTES);
  bytes.set(bytesOf(v), HEAD_BYTES + x.byteLength);
  return bytes;
}

interface Announced {
  components: readonly ComponentRange[];
  masses: readonly { first: number; count: number; mass: number | null }[];
}

/** The same on another rank. Waits for masses that differ. */
export async function heardSource(ranks: Ranks, { components, masses }: Announced): Promise<ParticleSource> {
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
        const whole = bytes.slice().buffer;
        const [first, count] = new Float64Array(whole, 0, 2);
        yield {
          ...{ first, count },
          positions: new Float64Array(whole, HEAD_BYTES, 3 * count),
          velocities: new Float32Array(whole, HEAD_BYTES + 24 * count, 3 * count),
        };
      }
    },
  };
}
