/**
 * Who solves the mesh for whom: each rank for itself where each has a device; the first of those that share one, since
 * solving once is quicker; rank 0 for all where adapters differ, whose solutions would differ in the last bits.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import { adapterName } from "../../foundation/gpu/adapter.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { RankPlacement } from "../../foundation/ranks/rank-placement.ts";
import { answers, type Ranks } from "../../foundation/ranks/ranks.ts";
import { RankChannel } from "./rank-channel.ts";

export interface RankInfo {
  adapter?: string;
  software?: boolean;
  seat?: RankPlacement;
  /** Why it has none. */
  fault?: string;
}

export type Present = RankInfo & { adapter: string };

/** Says hello to all ranks. Throws "device" with what each has where one has no adapter. */
export async function present(gpu: GpuContext, ranks: Ranks): Promise<Present[]> {
  const mine = async () => (await answers(ranks, greetingWith(gpu, ranks)))!;
  const all = await RankChannel.of(ranks).jointly({ do: "hello" }, mine);
  if (all.every((one): one is Present => one.adapter !== undefined)) return all;
  throw new GravmeshError("device", `every rank needs an adapter, found ${listed(all)}`);
}

export function greetingWith({ adapter }: GpuContext, { seat }: Ranks): RankInfo {
  return { adapter: adapterName(adapter), software: adapter.software, seat };
}

/** Throws "device" where the adapters differ, for what has the same bits on all. */
export function requireAlike(all: readonly Present[], what: string): void {
  if (all.every(({ adapter }) => adapter === all[0].adapter)) return;
  throw new GravmeshError(
    "device",
    `the ranks of ${what} need adapters of one kind, found ${listed(all)}. GRAVMESH_ADAPTER=NAME takes one of several`,
  );
}

/** Throws "usage" where each is to solve and the adapters differ. */
export function solversOf(all: readonly Present[]) {
  const adapters = all.map(({ adapter }) => adapter);
  const hosts = all.map(({ seat }) => seat?.host ?? "");
  const [first] = all;
  const { length } = all;
  const wish = first.seat?.solvers ?? "auto";
  const made = (groups: number[], text: string) => ({ groups, adapters, hosts, text });
  const together = all.map(() => 0);
  const one = (why: string) => made(together, `rank 0 solves for all ${length}${why}`);
  if (new Set(adapters).size > 1) {
    if (wish !== "each") return one(": their adapters differ");
    throw new GravmeshError(
      "usage",
      `GRAVMESH_SOLVERS=each needs adapters of one kind, found ${listed(all)}; without it rank 0 solves for all`,
    );
  }
  if (wish === "one") return one("");
  const places = all.map(({ seat, software }, rank) =>
    wish === "each" || !seat ? String(rank) : [seat.host, software ? seat.cores : seat.devices].join(" "),
  );
  const different = [...new Set(places)];
  const groups = places.map((place) => different.indexOf(place));
  if (different.length === length) return made(groups, `each of ${length} ranks solves`);
  if (different.length === 1) return one(" on one device");
  return made(groups, `${different.length} of ${length} ranks solve, one on each device`);
}

/** The adapters of the ranks, or why there is none. */
export function listed(all: readonly RankInfo[]): string {
  return all.map(({ adapter, fault }, rank) => `rank ${rank}: ${adapter ?? `none: ${fault}`}`).join("; ");
}
