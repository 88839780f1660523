/** Several ranks in one process, for tests of what doesn't ask which messages carry them. */

import { type RankPlacement, THIS_PLACEMENT } from "../../src/foundation/ranks/rank-placement.ts";
import { type Ranks, startsOf } from "../../src/foundation/ranks/ranks.ts";

interface Meeting<T> {
  given: T[];
  arrived: number;
  done: Promise<void>;
  open: () => void;
}

/** `size` ranks that meet at every call, in order. */
export function ranksTogether(size: number, seatOf: (rank: number) => Partial<RankPlacement> = () => ({})): Ranks[] {
  const meetings: Meeting<unknown>[] = [];
  const meet = async <T>(rank: number, at: number, mine: T): Promise<T[]> => {
    if (meetings[at] === undefined) {
      let open = () => {};
      const done = new Promise<void>((resolve) => (open = resolve));
      meetings[at] = { given: [], arrived: 0, done, open };
    }
    const meeting = meetings[at] as Meeting<T>;
    meeting.given[rank] = mine;
    meeting.arrived += 1;
    if (meeting.arrived === size) meeting.open();
    await meeting.done;
    return meeting.given;
  };
  const parts = new Map<string, Ranks[]>();
  return Array.from({ length: size }, (_, rank): Ranks => {
    let at = 0;
    const all = <T>(mine: T) => meet(rank, at++, mine);
    const words = async (own: BigInt64Array, of: (a: bigint, b: bigint) => bigint) => {
      const given = await all(own.slice());
      own.forEach((_, i) => {
        own[i] = given.map((one) => one[i]).reduce(of);
      });
    };
    return {
      ...{ rank, size, waited: 0, seat: { ...THIS_PLACEMENT, ...seatOf(rank) } },
      sum: (own) => words(own, (a, b) => a + b),
      sumOnFirst: async (own) => {
        const given = await all(own.slice());
        own.forEach((_, i) => {
          own[i] = rank === 0 ? given.map((one) => one[i]).reduce((a, b) => a + b) : -1n;
        });
      },
      sumOfOthers: async (own) => {
        const [, ...others] = await all(own.slice());
        for (const i of own.keys()) own[i] = rank === 0 ? others.reduce((sum, one) => sum + one[i], 0n) : -1n;
      },
      largest: (own) => words(own, (a, b) => (a > b ? a : b)),
      gather: async (bytes) => {
        const given = await all(bytes);
        return rank === 0 ? given : undefined;
      },
      allGather: async (whole, lengths) => {
        const starts = startsOf(lengths);
        const given = await all(whole.slice(starts[rank], starts[rank] + lengths[rank]));
        for (const [r, part] of given.entries()) whole.set(part, starts[r]);
      },
      broadcast: async (bytes) => (await all(bytes))[0] ?? new Uint8Array(0),
      handOn: async (bytes) => bytes.set((await all(bytes))[0]),
      split: async (group) => {
        const key = `${at}: ${group}`;
        const given = await all(group);
        const members = given.flatMap((of, member) => (of === group ? [member] : []));
        const part = parts.get(key) ?? ranksTogether(members.length);
        parts.set(key, part);
        return part[members.indexOf(rank)];
      },
      barrier: async () => void (await all(undefined)),
      abort: (code) => {
        throw new Error(`rank ${rank} ended all with ${code}`);
      },
      finish: async () => void (await all(undefined)),
    };
  });
}
