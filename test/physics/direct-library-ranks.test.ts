/** The library's direct sum on ranks: every rank asks the same, and has what one process has, bit by bit. */
import { describe, expect, it } from "vitest";
import { DirectSummation, type DirectSummationOptions } from "../../src/engine/direct-summation.ts";
import { RankedSummation } from "../../src/engine/ranked/direct-summation.ts";
import { ReferenceSummation } from "../../src/engine/reference/direct/summation.ts";
import type { Ranks } from "../../src/foundation/ranks/ranks.ts";
import { moving } from "../support/direct-bodies.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";
import { ranksTogether } from "../support/ranks.ts";

const gpu = useGpu();

const SOURCES = moving(150, 3);
const TARGETS = moving(40, 4);
/** Three targets on all sources aren't worth it. */
const WORTH = 4 * 150;

/** Forces and neighbours of all kinds of targets, as the sources move and change. */
async function asked(options: DirectSummationOptions) {
  const sum = await DirectSummation.create({ order: "jerk", softening: 0.01, worthSharing: WORTH, ...options });
  await sum.setSources(SOURCES);
  const found: unknown[] = [await sum.forces(), await sum.neighbours(undefined, { radius: 0.3, capacity: 6 })];
  await sum.predict(0.75);
  const rows = Uint32Array.from({ length: 31 }, (_, k) => (7 * k) % 150);
  found.push(await sum.forces({ rows }), await sum.forces({ rows: rows.subarray(0, 3) }));
  await sum.updateSources(rows.subarray(0, 2), { masses: Float64Array.of(0.5, 0) });
  const { positions, velocities } = TARGETS;
  const radius = Float64Array.from({ length: 40 }, (_, i) => 0.01 * i);
  found.push(await sum.forces({ positions, velocities }), await sum.neighbours({ positions }, { radius }));
  await sum.destroy();
  return found;
}

describe.each(["webgpu", "cpu"] as const)("on %s", (backend) => {
  it("has the bits of one process on every rank", async () => {
    const options = () => (backend === "cpu" ? ({ backend } as const) : { gpu: gpu() });
    const alone = await asked(options());
    for (const size of inFull([2, 3, 4], [2, 3])) {
      const found = await Promise.all(ranksTogether(size).map((ranks) => asked({ ...options(), ranks })));
      for (const one of found) expect(one).toEqual(alone);
    }
  });
});

it("shares what is worth it alone", async () => {
  let gathered = 0;
  const counting = (ranks: Ranks): Ranks => ({
    ...ranks,
    allGather: (whole, lengths) => {
      gathered += 1;
      return ranks.allGather(whole, lengths);
    },
  });
  await Promise.all(ranksTogether(2).map((ranks) => asked({ backend: "cpu", ranks: counting(ranks) })));
  expect(gathered).toBe(2 * 5);
});

it("fails on all ranks where it fails on one", async () => {
  const found = await Promise.all(
    ranksTogether(2).map(async (ranks) => {
      const sum = await DirectSummation.create({ backend: "cpu", ranks, worthSharing: 1 });
      await sum.setSources(SOURCES);
      const stop = new AbortController();
      if (ranks.rank === 1) stop.abort();
      const fault = await sum.forces(undefined, { signal: stop.signal }).catch((error) => error.message);
      return [fault, (await sum.forces()).potentials[0]];
    }),
  );
  expect(found[0][0]).toContain("rank 1 has failed");
  expect(found[1][0]).toContain("the caller's signal ended it");
  expect(found[0][1]).toBe(found[1][1]);
});

it("refuses ranks that compute on different adapters", async () => {
  const order = "acceleration";
  const found = await Promise.all(
    ranksTogether(2).map((ranks) => {
      const own = new ReferenceSummation({ order, softening: 0 });
      const device = ranks.rank === 0 ? gpu() : undefined;
      return RankedSummation.create(own, { ranks, order }, device).catch((error) => error.message);
    }),
  );
  for (const message of found) expect(message).toContain("need adapters of one kind");
});
