/**
 * Groups of particles by domains of the box (friends-plan.ts), each copied with its surroundings and linked. The host
 * joins open groups, which go on beyond a domain, where they share a particle. No result depends on the domains.
 */
import { workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, u32 } from "../../foundation/gpu/buffers.ts";
import { rangeLimits } from "../../foundation/gpu/windows.ts";
import {
  type FoundGroups,
  type FriendsEntry,
  type FriendsRun,
  GROUP,
  type Linking,
  linkingFor,
  RUN,
  type SlotChunk,
} from "./friends-linking.ts";
import { GROUP_WORDS } from "./friends-of-friends-catalogue.ts";
import { OpenGroups } from "./friends-open.ts";
import { binsFor, type Domain, type PlannedDomain, planDomains } from "./friends-plan.ts";
import { domainCapacities } from "./memory.ts";

const STAGE = "friends of friends";
const ENTRIES = [
  ...(["survey", "take", "settle", "numberPart", "place", "keep"] as const),
  ...(["meet", "resolve", "resolveLabels", "fastest"] as const satisfies FriendsEntry[]),
];
const TALLY_WORDS = 5;
/** A particle about a domain: slot, open group. */
const KEPT_BYTES = 8;

type Kernels = Awaited<ReturnType<typeof FriendsRun.prototype.kernels<(typeof ENTRIES)[number]>>>;

interface Chunk extends SlotChunk {
  uniform: GPUBuffer;
  /** [count] complement of its label, where that is asked for. */
  labels: GPUBuffer | undefined;
}

/** Takes 4 bytes a particle in `own`, or 8 with labels, and for a while those of a domain. */
export async function groupsInDomains(run: FriendsRun, own: BufferPool, withLabels: boolean): Promise<FoundGroups> {
  const search = await DomainSearch.create(run, own, withLabels);
  await search.findInDomains();
  return search.joined();
}

class DomainSearch {
  readonly #open = new OpenGroups();
  /** Members and labels of closed groups, by number. */
  readonly #groups: Uint32Array<ArrayBuffer>[] = [];
  #large = 0;
  #groupsInAll = 0;
  #membersInAll = 0;
  /** Particles about each domain. */
  readonly #around: { buffer: GPUBuffer; windows: readonly number[] }[] = [];

  private constructor(
    private readonly run: FriendsRun,
    private readonly own: BufferPool,
    private readonly kernels: Kernels,
    private readonly windows: readonly Chunk[],
  ) {}

  static async create(run: FriendsRun, own: BufferPool, withLabels: boolean): Promise<DomainSearch> {
    const { particles } = run;
    const { current } = particles;
    const kernels = await run.kernels(...ENTRIES);
    const windows = particles.windows.map(({ first, count, positions, velocities, ids, images }) => ({
      ...{ first, count },
      uniform: own.uniform("window of slots", u32(first, count)),
      positions: positions[current],
      velocities: velocities[current],
      ids: ids[current],
      images: images?.[current] ?? ids[current],
      numbers: run.words(own, `numbers of groups, slots from ${first}`, count),
      labels: withLabels ? run.words(own, `labels, slots from ${first}`, count) : undefined,
    }));
    await own.settle();
    return new DomainSearch(run, own, kernels, windows);
  }

  async findInDomains(): Promise<void> {
    const { search, particles } = this.run;
    const pool = this.own.pool();
    try {
      const domains = await this.#plan(pool);
      const capacity = Math.max(1, ...domains.map(({ count }) => count));
      const isolated = particles.boundary === "isolated";
      const words = (label: string, number: number) => this.run.words(pool, `${label} of a domain`, number);
      const buffers = {
        taken: words("particles", 2),
        positions: words("positions", 3 * capacity),
        ids: words("ids", capacity),
        slots: words("slots", capacity),
        images: words("images", isolated ? capacity : 1),
        sizes: words("sizes", capacity),
        labels: words("labels", capacity),
        tally: words("groups counted", TALLY_WORDS),
        groups: words("groups", GROUP_WORDS * Math.max(1, Math.floor(capacity / this.run.minimumMembers))),
      };
      const linking = await linkingFor(this.run, pool, capacity);
      const part = { ...buffers, pool, linking, bins: binsFor(search.reach) };
      try {
        for (const domain of domains) await this.#findIn(domain, part);
      } finally {
        linking.destroy();
      }
    } finally {
      pool.destroyAll();
    }
  }

  /** What the domains have found, put together. */
  async joined(): Promise<FoundGroups> {
    const { run, own, kernels: k, windows } = this;
    const { gpu, minimumMembers } = run;
    for (const { buffer, windows: indices } of this.#around) {
      const met = run.words(own, "open groups that meet", buffer.size / 4);
      await own.settle();
      const batch = gpu.batch("groups across domains").stage(STAGE);
      for (const { numbers, uniform } of indices.map((index) => windows[index])) {
        const buffers = [uniform, buffer, numbers, met, ...Array(6).fill(uniform), uniform];
        batch.dispatch(k.meet.bind(...buffers), workgroups(buffer.size / KEPT_BYTES, GROUP));
      }
      await batch.submit();
      this.#open.join(new Uint32Array(await gpu.read(met)));
      own.release(met, buffer);
    }
    const outcome = this.#open.outcome({ minimumMembers, firstNumber: this.#large });
    const numberOf = own.upload("friends of friends, numbers of open groups", outcome.numbers, "particles");
    const complements = outcome.labels.map((label) => ~label);
    const labelOf = own.upload("friends of friends, labels of open groups", complements, "particles");
    const fastest = run.words(own, "largest velocity", 1);
    await own.settle();
    const batch = gpu.batch("groups across domains").stage(STAGE);
    for (const { count, numbers, labels, velocities, uniform } of windows) {
      const common = [...Array(6).fill(uniform), uniform];
      const all = workgroups(count, GROUP);
      if (labels) batch.dispatch(k.resolveLabels.bind(uniform, labelOf, numbers, labels, ...common), all);
      batch.dispatch(k.resolve.bind(uniform, numberOf, numbers, numberOf, ...common), all);
      const runs = workgroups(Math.ceil(count / RUN), GROUP);
      const others = Array(5).fill(uniform);
      batch.dispatch(k.fastest.bind(uniform, velocities, ...others, fastest, uniform, uniform, uniform), runs);
    }
    await batch.submit();
    return {
      groups: new Uint32Array(await new Blob([...this.#groups, outcome.groups]).arrayBuffer()), // one after the other
      groupsInAll: this.#groupsInAll + outcome.groupsInAll,
      membersInAll: this.#membersInAll + outcome.membersInAll,
      fastest: new Float32Array(await gpu.read(fastest))[0],
      chunks: windows,
      labels: () => this.#labelsById(),
    };
  }

  async #labelsById(): Promise<Uint32Array<ArrayBuffer>> {
    const { gpu, particles } = this.run;
    const byId = new Uint32Array(particles.count);
    for (const { ids, labels, count } of this.windows) {
      const read = async (buffer: GPUBuffer) => new Uint32Array(await gpu.read(buffer, 0, 4 * count));
      const [idWords, labelWords] = [await read(ids), await read(labels!)];
      for (let slot = 0; slot < count; slot++) byId[idWords[slot]] = ~labelWords[slot];
    }
    return byId;
  }

  async #plan(pool: BufferPool): Promise<PlannedDomain[]> {
    const { gpu, search, particles } = this.run;
    const bins = binsFor(search.reach);
    const capacities = domainCapacities(rangeLimits(gpu));
    const all: Domain = { low: [0, 0, 0], size: [bins, bins, bins] };
    const { count } = particles;
    if (count <= capacities[0]) return [{ ...all, count, windows: [...this.windows.keys()] }];
    const histogram = this.run.words(pool, "particles by bins", bins);
    return planDomains(bins, capacities, async (domain, axis) => {
      const uniform = domainUniform(pool, bins, domain, { axis });
      const histograms: Uint32Array[] = [];
      for (const { uniform: window, positions, images, count, ids } of this.windows) {
        const buffers = [window, positions, ids, histogram, ids, ids, ids, images, ids, uniform, window];
        const batch = gpu.batch("domains").stage(STAGE);
        batch.clear(histogram);
        batch.dispatch(this.kernels.survey.bind(...buffers), workgroups(Math.ceil(count / RUN), GROUP));
        histograms.push(new Uint32Array(await batch.readBack(histogram, 0, 4 * bins)));
      }
      return histograms;
    });
  }

  async #findIn(planned: PlannedDomain, part: Part): Promise<void> {
    const { run, kernels: k } = this;
    const { gpu } = run;
    const { pool, linking, taken, positions, ids, slots, sizes, labels, tally, groups } = part;
    const { count } = planned;
    const isolated = run.particles.boundary === "isolated";
    const images = isolated ? part.images : ids;
    const small = pool.pool();
    try {
      const uniform = domainUniform(small, part.bins, planned, { number: this.#large, open: this.#open.count });
      const search = run.searchUniform(small, count, linking.capacity);
      const { heads, parents } = linking;
      const numbers = parents; // the forest is done when groups are numbered
      const openGroups = linking.sorted;
      const windows = planned.windows.map((index) => this.windows[index]);
      const batch = gpu.batch("friends of friends in a domain").stage(STAGE);
      for (const buffer of [taken, sizes, labels, tally]) batch.clear(buffer);
      for (const window of windows) {
        const from = [window.uniform, window.positions, window.ids, taken];
        const to = [positions, ids, slots, window.images, part.images, uniform, window.uniform];
        batch.dispatch(k.take.bind(...from, ...to), workgroups(Math.ceil(window.count / RUN), GROUP));
      }
      linking.encode(batch, { count, search, positions, images });
      const runs = workgroups(Math.ceil(count / RUN), GROUP);
      batch
        .dispatch(k.settle.bind(search, positions, heads, ids, ids, sizes, labels, images, parents, uniform), runs)
        .dispatch(
          k.numberPart.bind(search, sizes, groups, tally, labels, numbers, openGroups, ids, ids, uniform),
          runs,
        );
      let counted = new Uint32Array(0);
      batch.read(taken, 0, 8, (data) => {
        counted = new Uint32Array(data);
      });
      const found = new Uint32Array(await batch.readBack(tally, 0, 4 * TALLY_WORDS));
      if (counted[0] !== count) throw new Error(`expected ${count} particles in a domain, found ${counted[0]}`);
      const [groupsInAll, large, membersInAll, open] = found;
      const second = gpu.batch("groups of a domain").stage(STAGE);
      const all = workgroups(count, GROUP);
      for (const { numbers: placed, labels: placedLabels, uniform: window } of windows) {
        const ends = [images, ids, uniform, window];
        second.dispatch(k.place.bind(search, positions, heads, ids, slots, numbers, placed, ...ends), all);
        if (!placedLabels) continue;
        second.dispatch(k.place.bind(search, positions, heads, ids, slots, labels, placedLabels, ...ends), all);
      }
      const around = counted[1];
      if (around > 0) {
        const kept = this.own.storage("friends of friends, particles about a domain", KEPT_BYTES * around, "particles");
        await this.own.settle();
        this.#around.push({ buffer: kept, windows: planned.windows });
        second.dispatch(k.keep.bind(search, positions, heads, tally, slots, numbers, kept, images, ids, uniform), runs);
      }
      const words = (buffer: GPUBuffer, number: number, take: (words: Uint32Array<ArrayBuffer>) => void) => {
        if (number > 0) second.read(buffer, 0, 4 * GROUP_WORDS * number, (data) => take(new Uint32Array(data)));
      };
      words(groups, large, (read) => this.#groups.push(read));
      words(openGroups, open, (read) => this.#open.add(read));
      await second.submit();
      this.#groupsInAll += groupsInAll;
      this.#large += large;
      this.#membersInAll += membersInAll;
    } finally {
      small.destroyAll();
    }
  }
}

/** Buffers for one domain after the other. */
interface Part
  extends Record<
    "taken" | "positions" | "ids" | "slots" | "images" | "sizes" | "labels" | "tally" | "groups",
    GPUBuffer
  > {
  pool: BufferPool;
  linking: Linking;
  bins: number;
}

/** WGSL struct Domain. */
function domainUniform(
  pool: BufferPool,
  bins: number,
  { low, size }: Domain,
  { axis = 0, number = 0, open = 0 }: { axis?: number; number?: number; open?: number },
): GPUBuffer {
  return pool.uniform("domain", u32(...low, bins, ...size, axis, number, open));
}
