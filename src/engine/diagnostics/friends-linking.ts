/** Links the particles of a domain: cells, whose particles are all friends, are the nodes of a lock-free union–find. */
import cellsWgsl from "../../../wgsl/engine/diagnostics/friends-cells.wgsl";
import domainsWgsl from "../../../wgsl/engine/diagnostics/friends-domains.wgsl";
import linkWgsl from "../../../wgsl/engine/diagnostics/friends-link.wgsl";
import membersWgsl from "../../../wgsl/engine/diagnostics/friends-members.wgsl";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../../foundation/gpu/buffers.ts";
import type { WgslConstants } from "../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import { largestBinding, type Range } from "../../foundation/gpu/windows.ts";
import { massConstants, type ParticleBuffers } from "../gpu-particles/buffers.ts";
import { Scan, scanWords } from "../gpu-particles/scan.ts";
import type { FriendsSearch } from "./friends-of-friends-search.ts";
import { friendsTable } from "./memory.ts";

export const GROUP = 64;
/** Consecutive particles that an invocation takes in the kernels of groups. */
export const RUN = 16;

/** Entry points and their files. */
const ENTRIES = {
  ...{ insert: cellsWgsl, scatter: cellsWgsl, link: linkWgsl },
  ...{ refer: membersWgsl, sums: membersWgsl, farthest: membersWgsl, spread: membersWgsl },
  ...{ survey: domainsWgsl, take: domainsWgsl, settle: domainsWgsl, numberPart: domainsWgsl, place: domainsWgsl },
  ...{ keep: domainsWgsl, meet: domainsWgsl, resolve: domainsWgsl },
  ...{ resolveLabels: domainsWgsl, fastest: domainsWgsl },
};
export type FriendsEntry = keyof typeof ENTRIES;

/** What haloes are found among: the particles as the GPU holds them. */
export type FriendsParticles = Pick<
  ParticleBuffers,
  "count" | "boxSize" | "boundary" | "heaviest" | "current" | "massWindows" | "windows"
>;

/** A search for groups, from its settings to its kernels. */
export class FriendsRun {
  readonly #constants: WgslConstants;

  constructor(
    readonly gpu: GpuContext,
    readonly particles: FriendsParticles,
    readonly search: FriendsSearch,
    readonly minimumMembers: number,
  ) {
    this.#constants = { ISOLATED: particles.boundary === "isolated", ...massConstants(particles) };
  }

  /** The kernels of these entry points, compiled once for a device. */
  async kernels<E extends FriendsEntry>(...entries: readonly E[]): Promise<Record<E, Kernel>> {
    const compiled = entries.map(async (entry) => {
      const label = `friends of friends/${entry}`;
      const constants = this.#constants;
      return [entry, await this.gpu.kernel({ label, sources: [ENTRIES[entry]], entry, constants })] as const;
    });
    return Object.fromEntries(await Promise.all(compiled)) as Record<E, Kernel>;
  }

  /** WGSL struct Search for `count` particles in tables for `capacity`. */
  searchUniform(pool: BufferPool, count: number, capacity = count): GPUBuffer {
    const { reach, cells } = this.search;
    const square = BigInt(reach) ** 2n;
    const headMask = 2 ** Math.ceil(Math.log2(capacity + 2)) - 1;
    const exact = [Number(square & 0xffffffffn), Number(square >> 32n)];
    const integers = u32(count, cells, this.tableSize(capacity) - 1, headMask, ...exact);
    return pool.uniform("friends of friends, search", [...integers, ...f32(reach ** 2), ...u32(this.minimumMembers)]);
  }

  tableSize(capacity: number): number {
    return friendsTable(capacity, largestBinding(this.gpu.device.limits));
  }

  /** A zeroed buffer of so many words. */
  words(pool: BufferPool, label: string, number: number): GPUBuffer {
    return pool.storage(`friends of friends, ${label}`, 4 * number, "particles");
  }
}

/** Particles to be linked. */
interface LinkedSet {
  count: number;
  search: GPUBuffer;
  /** [count, 3] fixed point. */
  positions: GPUBuffer;
  /** [count], isolated; else any. */
  images: GPUBuffer;
}

/** A chunk of slots, with the buffers of its particles. */
export interface SlotChunk extends Range {
  positions: GPUBuffer;
  velocities: GPUBuffer;
  ids: GPUBuffer;
  images: GPUBuffer;
  /** [count] number of the particle's group, or none; an open group until they are joined. */
  numbers: GPUBuffer;
}

/** Groups as they were found, before anything is known of them but their size and label. */
export interface FoundGroups {
  /** [2·large] members and label by number. */
  groups: Uint32Array<ArrayBuffer>;
  /** Groups of all sizes, and particles in the large ones. */
  groupsInAll: number;
  membersInAll: number;
  /** Greatest component of a velocity. */
  fastest: number;
  chunks: readonly SlotChunk[];
  /** [N] by id: the smallest id of the particle's group; only where it was asked for. */
  labels: () => Promise<Uint32Array<ArrayBuffer>>;
}

export type Linking = Awaited<ReturnType<typeof linkingFor>>;

/**
 * Buffers for up to `capacity` particles, used for one set after the other; `heads` and `parents` stay, `sorted` is free when
 * particles are linked. Throws "memory" where `pool` found no room for them or those made before.
 */
export async function linkingFor(run: FriendsRun, pool: BufferPool, capacity: number) {
  const words = (label: string, number: number) => run.words(pool, label, number);
  const heads = words("heads", capacity); // of each particle's cell
  const ranks = words("ranks", capacity); // among the particles of the cell
  const parents = words("parents", capacity); // the forest of cells, by their heads
  const cells = words("cells", run.tableSize(capacity));
  const blocks = words("blocks", run.tableSize(capacity));
  const starts = words("cell starts", scanWords(capacity + 1)); // by head: where its particles begin in the order of cells
  const sorted = words("positions by cell", 3 * capacity);
  const { insert, scatter, link } = await run.kernels("insert", "scatter", "link");
  await pool.settle(); // before anything is bound
  const scan = await Scan.create(run.gpu, [{ buffer: starts, count: capacity + 1 }]);
  let used = false;
  const encode = (batch: Batch, { count, search, positions, images }: LinkedSet): void => {
    if (used) for (const buffer of [cells, blocks, starts]) batch.clear(buffer);
    used = true;
    const all = workgroups(count, GROUP);
    batch.dispatch(insert.bind(search, positions, heads, ranks, cells, blocks, starts, images, parents), all);
    scan.encode(batch);
    batch
      .dispatch(scatter.bind(search, positions, heads, ranks, starts, sorted), all)
      .dispatch(link.bind(search, sorted, heads, ranks, starts, cells, blocks, images, parents), all);
  };
  /** Gives back what the pool doesn't. */
  const destroy = () => scan.destroy();
  return { capacity, heads, parents, sorted, encode, destroy };
}
