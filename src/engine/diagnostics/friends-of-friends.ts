/**
 * Friends-of-friends haloes on the GPU (Davis, Efstathiou, Frenk & White 1985, ApJ 292, 371): particles no further
 * apart than the linking length b are friends, and a group is what friendship connects. Cells of side ≤ b/√3, whose
 * particles are all friends, are the nodes of a lock-free union–find; the criterion is exact in integers, so the groups
 * are a function of the positions alone. Catalogue from integer sums: no order of the particles shows in any figure.
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { groupsInDomains } from "./friends-domains.ts";
import { type FriendsParticles, FriendsRun } from "./friends-linking.ts";
import { catalogueOfFound } from "./friends-members.ts";
import type { HaloCatalogue } from "./friends-of-friends-catalogue.ts";
import { friendsSearch } from "./friends-of-friends-search.ts";

export type { FriendsParticles } from "./friends-linking.ts";

/** Groups of fewer aren't listed unless asked for. */
const MINIMUM_MEMBERS = 20;
/** b over the mean separation of the particles. */
const LINKING = 0.2;

export interface FriendsOptions {
  /** b over the mean separation L/N^(1/3); 0.2 unless given. */
  linking?: number;
  /** b itself, in place of `linking` [length]. */
  linkingLength?: number;
  /** Members of the smallest group in the catalogue, 20 unless given. */
  minimumMembers?: number;
}

export interface FriendsResult {
  catalogue: HaloCatalogue;
  /** [N] by particle id: the smallest id of the particle's group, its own if it has no friends. */
  labels: Uint32Array<ArrayBuffer>;
}

export class FriendsOfFriends {
  /** b [length], as it is in the fixed point of positions. */
  readonly linkingLength: number;

  private constructor(private readonly run: FriendsRun) {
    this.linkingLength = (run.particles.boxSize * run.search.reach) / 2 ** 32;
  }

  /** Compiles. Throws "usage" for a linking length outside L/2^20 to L/8 or a minimum that is no positive integer. */
  static async create(
    gpu: GpuContext,
    particles: FriendsParticles,
    options: FriendsOptions = {},
  ): Promise<FriendsOfFriends> {
    const { boxSize, count } = particles;
    const { linking = LINKING, minimumMembers = MINIMUM_MEMBERS } = options;
    if (!(Number.isInteger(minimumMembers) && minimumMembers > 0)) {
      throw new GravmeshError(
        "usage",
        `friends of friends: expected a whole number of members from 1 up, found ${minimumMembers}`,
      );
    }
    const search = friendsSearch(options.linkingLength ?? (linking * boxSize) / Math.cbrt(count), boxSize);
    return new FriendsOfFriends(new FriendsRun(gpu, particles, search, minimumMembers));
  }

  /**
   * The groups of the particles as they lie now. Takes 4 bytes a particle, or 8 with labels, and 76 to 92 for each of a
   * domain of up to 8.4 million (memory.ts). Throws "numerical" when a velocity is no finite number, "memory" when the
   * adapter can't hold its buffers or binds fewer particles than lie within three linking lengths.
   */
  async find(): Promise<FriendsResult> {
    const { catalogue, labels } = await this.#find(true);
    return { catalogue, labels: labels! };
  }

  /** The catalogue alone. */
  async catalogue(): Promise<HaloCatalogue> {
    return (await this.#find(false)).catalogue;
  }

  async #find(withLabels: boolean) {
    const { gpu } = this.run;
    const own = gpu.buffers.pool();
    try {
      const found = await groupsInDomains(this.run, own, withLabels);
      const catalogue = await catalogueOfFound(this.run, own, found);
      return { catalogue, labels: withLabels ? await found.labels() : undefined };
    } finally {
      own.destroyAll();
    }
  }
}
