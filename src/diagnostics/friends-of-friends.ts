/**
 * Friends-of-friends haloes on the GPU (Davis, Efstathiou, Frenk & White 1985, ApJ 292, 371): particles no further apart
 * than the linking length b are friends, and a group is what friendship connects. Cells of side ≤ b/√3, whose particles
 * are all friends, are the nodes of a lock-free union–find; the criterion is exact in integers, so the groups are a
 * function of the positions alone. Catalogue from integer sums: no order of the particles shows in any figure.
 */
import friendsWgsl from "../../wgsl/diagnostics/friends-of-friends.wgsl";
import { GravmeshError } from "../errors.ts";
import { workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, type UniformWord, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Kernel } from "../gpu/kernel.ts";
import { massConstants, type ParticleBuffers } from "../particles/buffers.ts";
import { Scan } from "../particles/scan.ts";
import {
  CENTRE_WORDS,
  centreWords,
  GROUP_WORDS,
  groupMotion,
  type HaloCatalogue,
  haloCatalogue,
  REFERENCE_WORDS,
  SPREAD_WORDS,
  SUM_WORDS,
} from "./friends-of-friends-catalogue.ts";
import { type FriendsSearch, friendsSearch } from "./friends-of-friends-search.ts";
import { friendsTable } from "./memory.ts";

const GROUP = 64;
/** Consecutive particles that an invocation takes in the kernels of groups. */
const RUN = 16;
/** Groups of fewer aren't listed unless asked for. */
export const MINIMUM_MEMBERS = 20;
/** b over the mean separation of the particles. */
export const LINKING = 0.2;

export interface FriendsOptions {
  /** b over the mean separation L/N^(1/3); 0.2 unless given. */
  linking?: number;
  /** b itself, in place of `linking` [length]. */
  linkingLength?: number;
  /** Members of the smallest group in the catalogue, 20 unless given. */
  minimumMembers?: number;
}

/** What haloes are found among: the particles as the GPU holds them. */
export type FriendsParticles = Pick<
  ParticleBuffers,
  | ("count" | "boxSize" | "boundary" | "heaviest" | "current")
  | ("positions" | "velocities" | "ids" | "images" | "massUnits" | "massWindows" | "windows")
> & {
  readonly phase?: ParticleBuffers["phase"];
};

export interface FriendsResult {
  catalogue: HaloCatalogue;
  /** [N] by particle id: the smallest id of the particle's group, its own if it has no friends. */
  labels: Uint32Array<ArrayBuffer>;
}

/** Entry points of friends-of-friends.wgsl, in the order of their dispatches. */
const ENTRIES = [
  ...(["insert", "scatter", "link", "flatten", "number", "assign"] as const),
  ...(["sums", "farthest", "spread"] as const),
];
type Entry = (typeof ENTRIES)[number];
type Kernels = Record<Entry, Kernel>;

export class FriendsOfFriends {
  /** b [length], as it is in the fixed point of positions. */
  readonly linkingLength: number;

  private constructor(
    private readonly gpu: GpuContext,
    private readonly particles: FriendsParticles,
    private readonly search: FriendsSearch,
    readonly minimumMembers: number,
    private readonly kernels: Kernels,
  ) {
    this.linkingLength = (particles.boxSize * search.reach) / 2 ** 32;
  }

  /**
   * Compiles. Throws "usage" for a linking length that isn't from L/2^20 to L/8, or a minimum that is no positive integer.
   */
  static async create(
    gpu: GpuContext,
    particles: FriendsParticles,
    options: FriendsOptions = {},
  ): Promise<FriendsOfFriends> {
    const { boxSize, count, boundary } = particles;
    const { linking = LINKING, minimumMembers = MINIMUM_MEMBERS } = options;
    if (!(Number.isInteger(minimumMembers) && minimumMembers > 0)) {
      throw new GravmeshError(
        "usage",
        `friends of friends: expected a whole number of members from 1 up, found ${minimumMembers}`,
      );
    }
    const search = friendsSearch(options.linkingLength ?? (linking * boxSize) / Math.cbrt(count), boxSize);
    const constants = { ISOLATED: boundary === "isolated", ...massConstants(particles) };
    const kernel = async (entry: Entry) => {
      const label = `friends of friends/${entry}`;
      return [entry, await gpu.kernel({ label, sources: [friendsWgsl], entry, constants })] as const;
    };
    const kernels = Object.fromEntries(await Promise.all(ENTRIES.map(kernel))) as Kernels;
    return new FriendsOfFriends(gpu, particles, search, minimumMembers, kernels);
  }

  /**
   * The groups of the particles as they lie now, in any order. Takes 52 to 68 bytes a particle while it runs.
   * Throws "numerical" when a velocity is no finite number; "memory" when the adapter can't hold its buffers.
   */
  async find(): Promise<FriendsResult> {
    this.particles.phase?.expectVelocities("haloes");
    const own = this.gpu.buffers.pool();
    try {
      return await this.#find(own);
    } finally {
      own.destroyAll();
    }
  }

  async #find(own: BufferPool): Promise<FriendsResult> {
    const gpu = this.gpu;
    const { count, current, positions, velocities, ids, images, massUnits } = this.particles;
    const k = this.kernels;
    const words = (label: string, number: number) =>
      own.storage(`friends of friends, ${label}`, 4 * number, "particles");
    const x = positions[current];
    const v = velocities[current];
    const id = ids[current];
    const image = images?.[current] ?? id;
    const tableSize = friendsTable(count, gpu.device.limits.maxStorageBufferBindingSize);
    const search = own.uniform("friends of friends, search", this.#searchWords(tableSize));
    const [heads, ranks, parents, sizes, labels] = ["heads", "ranks", "parents", "sizes", "labels"].map((label) =>
      words(label, count),
    );
    const cells = words("cells", tableSize);
    const blocks = words("blocks", tableSize);
    const starts = words("cell starts", count + 1);
    const sorted = words("positions by cell", 3 * count);
    const fastest = words("largest velocity", 1);
    const tally = words("groups counted", 3);
    const groups = words("groups", GROUP_WORDS * Math.max(1, Math.floor(count / this.minimumMembers)));
    await own.settle();
    const scan = await Scan.create(gpu, [{ buffer: starts, count: count + 1 }]);
    const all = workgroups(count, GROUP);
    const runs = workgroups(Math.ceil(count / RUN), GROUP);
    const numbers = parents; // the forest is done when groups are numbered
    const batch = gpu.batch("friends of friends").stage("friends of friends");
    batch.dispatch(k.insert.bind(search, x, heads, ranks, cells, blocks, starts, image, parents), all);
    scan.encode(batch);
    batch
      .dispatch(k.scatter.bind(search, x, heads, ranks, starts, sorted), all)
      .dispatch(k.link.bind(search, sorted, heads, ranks, starts, cells, blocks, image, parents), all)
      .dispatch(k.flatten.bind(search, v, heads, id, starts, sizes, labels, fastest, parents), all)
      .dispatch(k.number.bind(search, sizes, groups, tally, labels, numbers), runs);
    try {
      await batch.submit();
    } finally {
      scan.destroy();
    }
    const [groupsInAll, large, membersInAll] = new Uint32Array(await gpu.read(tally));
    const speed = new Float32Array(await gpu.read(fastest))[0];
    if (!Number.isFinite(speed)) {
      throw new GravmeshError("numerical", "friends of friends: expected finite velocities, found NaN or infinity");
    }
    // |v| · scale < 1
    const velocityScale = speed > 0 ? 2 ** -(Math.floor(Math.log2(speed)) + 1) : 1;
    const scale = own.uniform("friends of friends, velocity scale", f32(velocityScale));
    const room = Math.max(1, large);
    const references = words("reference members", REFERENCE_WORDS * room);
    const totals = words("sums", SUM_WORDS * room);
    await own.settle();
    const labelOf = ranks; // not needed any more
    const members = [search, x, heads, id, massUnits ?? id, v] as const;
    await gpu
      .batch("members of groups")
      .stage("friends of friends")
      .dispatch(k.assign.bind(search, x, heads, id, labels, numbers, references, image, labelOf), all)
      .dispatch(k.sums.bind(...members, references, image, totals, scale), runs)
      .submit();
    const referenceWords = new Uint32Array(await gpu.read(references));
    const sums = new Uint32Array(await gpu.read(totals));
    const motions = Array.from({ length: large }, (_, group) => groupMotion(sums, group));
    const places = large > 0 ? centreWords(referenceWords, motions) : new Uint32Array(CENTRE_WORDS);
    const centres = own.upload("friends of friends, centres", places, "particles");
    const spreads = words("spreads", SPREAD_WORDS * room);
    await own.settle();
    await gpu
      .batch("spread of groups")
      .stage("friends of friends")
      .dispatch(k.farthest.bind(...members, centres, image, spreads, scale), runs)
      .dispatch(k.spread.bind(...members, centres, image, spreads, scale), runs)
      .submit();
    const catalogue = haloCatalogue({
      linkingLength: this.linkingLength,
      minimumMembers: this.minimumMembers,
      boxSize: this.particles.boxSize,
      periodic: this.particles.boundary === "periodic",
      heaviest: this.particles.heaviest,
      velocityScale,
      groupsInAll,
      membersInAll,
      groups: new Uint32Array(await gpu.read(groups, 0, 4 * GROUP_WORDS * large)),
      references: referenceWords,
      motions,
      spreads: new Uint32Array(await gpu.read(spreads)),
    });
    return { catalogue, labels: new Uint32Array(await gpu.read(labelOf)) };
  }

  #searchWords(tableSize: number): UniformWord[] {
    const { count } = this.particles;
    const { reach, cells } = this.search;
    const square = BigInt(reach) ** 2n;
    const headMask = 2 ** Math.ceil(Math.log2(count + 2)) - 1;
    const exact = [Number(square & 0xffffffffn), Number(square >> 32n)];
    const integers = u32(count, cells, tableSize - 1, headMask, ...exact);
    return [...integers, ...f32(reach ** 2), ...u32(this.minimumMembers)];
  }
}
