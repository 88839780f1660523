/**
 * Long direct sums in rounds: what a round takes on, up to 10⁶ particles, without summing it. That the sums have the same
 * bits however they are cut is tested with those of the block loop (direct-block.test.ts).
 */
import { describe, expect, it } from "vitest";
import { firstShare } from "../../src/engine/direct/block-pace.ts";
import { CONTROL, controlWords, SUM } from "../../src/engine/direct/control.ts";
import { roundKernel, SLICE } from "../../src/engine/direct/force-shapes.ts";
import { MOST_INTERACTIONS, TARGET_RANGE } from "../../src/engine/direct/forces.ts";
import { u32 } from "../../src/foundation/gpu/buffers.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const NO_BOUND = 2 ** 32 - 1;
/** Members whose slice sums go through scratch, at most, and how many it holds. */
const MOST_SPLIT = 5000;
const SCRATCH = 2 ** 20;

interface Round {
  part: [number, number, number, number];
  control: Uint32Array;
}

/** Rounds for `members` of `sources` bodies, one to a submission of `share` interactions. */
async function roundsOf(members: number, sources: number, share: number, count: number): Promise<Round[]> {
  const { buffers } = gpu();
  const range = Math.min(TARGET_RANGE, sources);
  const most = Math.floor(MOST_INTERACTIONS / SLICE);
  const limits = buffers.uniform("limits", u32(sources, range, most, MOST_SPLIT, SCRATCH, 0, 1, NO_BOUND));
  const words = controlWords();
  words[CONTROL.members] = members;
  words[CONTROL.sum] = SUM.toBegin;
  words[CONTROL.share] = Math.floor(share / SLICE);
  const control = buffers.upload("control", words, "other");
  const kernel = (await roundKernel(gpu())).bind(limits, control);
  const found: Round[] = [];
  for (let k = 0; k < count; k++) {
    gpu().device.queue.writeBuffer(control, 4 * CONTROL.share, words, CONTROL.share, 1);
    await gpu().batch("round").stage("round").dispatch(kernel, [1]).submit();
    const after = new Uint32Array(await gpu().read(control));
    const part = Array.from(after.subarray(CONTROL.firstTarget, CONTROL.firstTarget + 4)) as Round["part"];
    found.push({ part, control: after });
    if (after[CONTROL.sum] === SUM.done) break;
  }
  buffers.release(limits, control);
  return found;
}

/** Expects parts that cover targets and sources once, sources in order, none with more work than `share`. */
function expectWhole(rounds: Round[], members: number, sources: number, share: number): void {
  let [firstTarget, firstSource, pairs] = [0, 0, 0];
  for (const { part, control } of rounds) {
    expect([part[0], part[2]]).toEqual([firstTarget, firstSource]);
    const work = (part[1] - part[0]) * (part[3] - part[2]);
    expect(work).toBeGreaterThan(0);
    expect(work).toBeLessThanOrEqual(share);
    pairs += work;
    firstSource = part[3] === sources ? 0 : part[3];
    if (firstSource === 0) firstTarget = part[1];
    expect(firstSource % SLICE).toBe(0);
    expect(control[CONTROL.sum] === SUM.done).toBe(firstTarget === members);
  }
  expect(pairs).toBe(members * sources);
}

describe("rounds of a long sum", () => {
  it("of 10⁶ particles on each other stay within the first submission's share", async () => {
    const [count, share] = [1_000_000, firstShare(false)];
    expect(share).toBeLessThan(1e10); // half a second at 2·10¹⁰ a second
    const rounds = await roundsOf(count, count, share, 300);
    expectWhole(rounds, count, count, Math.min(share, MOST_INTERACTIONS));
    expect(rounds.length).toBeGreaterThan(count ** 2 / share);
  });

  it("of few of them sum as much as scratch holds and the share allows", async () => {
    for (const share of [1e7, 1e9]) {
      const rounds = await roundsOf(1000, 300_000, share, 100);
      expectWhole(rounds, 1000, 300_000, share);
      for (const { part } of rounds) expect(1000 * Math.ceil((part[3] - part[2]) / SLICE)).toBeLessThanOrEqual(SCRATCH);
    }
  });

  it("do nothing without members, without a share, or when all is summed", async () => {
    for (const [members, share] of [
      [0, 1e9],
      [1000, SLICE * 999],
    ]) {
      const rounds = await roundsOf(members, 10_000, share, 3);
      for (const { part, control } of rounds) {
        expect(part[2]).toBe(part[3]);
        expect(control[CONTROL.rounds]).toBe(0);
        expect(control[CONTROL.share]).toBe(Math.floor(share / SLICE));
      }
    }
  });
});
