/** From the groups that were found to their catalogue: sums over their members, a chunk of slots at a time. */
import massWgsl from "../../wgsl/particles/mass-by-slot.wgsl";
import { GravmeshError } from "../base/errors.ts";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../gpu/buffers.ts";
import type { BufferSlice, Kernel } from "../gpu/kernel.ts";
import { largestBinding, type Range, ranges } from "../gpu/windows.ts";
import { type FoundGroups, type FriendsRun, GROUP, RUN, type SlotChunk } from "./friends-linking.ts";
import {
  centreWords,
  GROUP_WORDS,
  type GroupMotion,
  groupMotion,
  type HaloCatalogue,
  haloCatalogue,
  REFERENCE_WORDS,
  SPREAD_WORDS,
  SUM_WORDS,
} from "./friends-of-friends-catalogue.ts";

/** Slots of an invocation of mass-by-slot.wgsl. */
const MASS_RUN = 8;
const STAGE = "friends of friends";

/** The catalogue of the groups. Throws "numerical" for a velocity that isn't finite, and "memory". */
export async function catalogueOfFound(run: FriendsRun, own: BufferPool, found: FoundGroups): Promise<HaloCatalogue> {
  const { groups, groupsInAll, membersInAll, fastest } = found;
  if (!Number.isFinite(fastest)) {
    throw new GravmeshError("numerical", "friends of friends: expected finite velocities, found NaN or infinity");
  }
  // |v| · scale < 1
  const velocityScale = fastest > 0 ? 2 ** -(Math.floor(Math.log2(fastest)) + 1) : 1;
  const sums = await MemberSums.create(run, own, found.chunks, velocityScale);
  const large = groups.length / GROUP_WORDS;
  const references = new Uint32Array(REFERENCE_WORDS * large);
  const spreads = new Uint32Array(SPREAD_WORDS * large);
  const motions: GroupMotion[] = [];
  const most = Math.floor(largestBinding(run.gpu.device.limits) / (4 * SUM_WORDS));
  for (const range of large > 0 ? ranges(large, most) : []) {
    const part = await sums.of(range, groups);
    references.set(part.references, REFERENCE_WORDS * range.first);
    spreads.set(part.spreads, SPREAD_WORDS * range.first);
    for (const motion of part.motions) motions.push(motion);
  }
  const { boxSize, boundary, heaviest } = run.particles;
  return haloCatalogue({
    linkingLength: (boxSize * run.search.reach) / 2 ** 32,
    minimumMembers: run.minimumMembers,
    ...{ boxSize, heaviest, velocityScale, groupsInAll, membersInAll, groups, references, motions, spreads },
    periodic: boundary === "periodic",
  });
}

interface MemberChunk extends SlotChunk {
  search: GPUBuffer;
  /** Records what puts its particles' mass units by slot. */
  encodeMasses: (batch: Batch) => void;
}

interface Shared {
  /** By id of the only chunk, or by slot of the one at work; undefined where masses are equal. */
  massUnits: GPUBuffer | undefined;
  /** The scale of velocities. */
  scale: GPUBuffer;
}

type Entry = "refer" | "sums" | "farthest" | "spread";

class MemberSums {
  private constructor(
    private readonly run: FriendsRun,
    private readonly own: BufferPool,
    private readonly kernels: Record<Entry, Kernel>,
    private readonly chunks: readonly MemberChunk[],
    private readonly shared: Shared,
  ) {}

  static async create(
    run: FriendsRun,
    own: BufferPool,
    chunks: readonly SlotChunk[],
    velocityScale: number,
  ): Promise<MemberSums> {
    const { particles, gpu } = run;
    const { massWindows } = particles;
    const bySlot = chunks.length > 1 && massWindows !== undefined;
    const massUnits = bySlot ? run.words(own, "mass units by slot", chunks[0].count) : massWindows?.[0];
    const massKernel = bySlot
      ? await gpu.kernel({ label: "order/mass by slot", sources: [massWgsl], entry: "massBySlot" })
      : undefined;
    await own.settle();
    const members = chunks.map((chunk): MemberChunk => {
      const { count, ids } = chunk;
      const masses = chunks.map((of, part) =>
        massKernel?.bind(
          own.uniform("window of ids", u32(count, of.first, of.count)),
          ...[ids, massWindows![part], massUnits!],
        ),
      );
      const encodeMasses = (batch: Batch) => {
        const groups = workgroups(Math.ceil(count / MASS_RUN), GROUP);
        for (const kernel of masses) if (kernel) batch.dispatch(kernel, groups);
      };
      return { ...chunk, search: run.searchUniform(own, count), encodeMasses };
    });
    const kernels = await run.kernels("refer", "sums", "farthest", "spread");
    const scale = own.uniform("friends of friends, velocity scale", f32(velocityScale));
    return new MemberSums(run, own, kernels, members, { massUnits, scale });
  }

  /** What the groups of a range amount to; `groups`: members and labels of all. */
  async of(range: Range, groups: Uint32Array<ArrayBuffer>) {
    const { run, own, kernels: k } = this;
    const { scale } = this.shared;
    const { gpu } = run;
    const pool = own.pool();
    try {
      const words = groups.subarray(GROUP_WORDS * range.first, GROUP_WORDS * (range.first + range.count));
      const described = pool.upload("friends of friends, groups", words, "particles");
      const references = run.words(pool, "reference members", REFERENCE_WORDS * range.count);
      const totals = run.words(pool, "sums", SUM_WORDS * range.count);
      const spreads = run.words(pool, "spreads", SPREAD_WORDS * range.count);
      const place = pool.uniform("range of groups", u32(range.first, range.count));
      await pool.settle();
      const batch = gpu.batch("members of groups").stage(STAGE);
      for (const chunk of this.chunks) {
        const { search, positions, numbers, ids, images, velocities } = chunk;
        const buffers = [search, positions, numbers, ids, described, velocities, references, images, ids, scale, place];
        batch.dispatch(k.refer.bind(...buffers), runsOf(chunk));
      }
      this.#encode(batch, k.sums, { by: references, into: totals, place });
      await batch.submit();
      const referenceWords = new Uint32Array(await gpu.read(references));
      const sums = new Uint32Array(await gpu.read(totals));
      const motions = Array.from({ length: range.count }, (_, group) => groupMotion(sums, group));
      const places = centreWords(referenceWords, motions);
      const centres = pool.upload("friends of friends, centres", places, "particles");
      await pool.settle();
      const second = gpu.batch("spread of groups").stage(STAGE);
      this.#encode(second, k.farthest, { by: centres, into: spreads, place });
      this.#encode(second, k.spread, { by: centres, into: spreads, place });
      await second.submit();
      return { references: referenceWords, motions, spreads: new Uint32Array(await gpu.read(spreads)) };
    } finally {
      pool.destroyAll();
    }
  }

  /** A kernel over the members in all chunks. */
  #encode(batch: Batch, kernel: Kernel, { by, into, place }: Record<"by" | "into" | "place", GPUBuffer>) {
    for (const chunk of this.chunks) {
      chunk.encodeMasses(batch);
      const { search, positions, numbers, velocities, ids, images } = chunk;
      const masses = this.shared.massUnits ?? ids;
      const members: BufferSlice[] = [search, positions, numbers, ids, masses, velocities, by, images, into];
      batch.dispatch(kernel.bind(...members, this.shared.scale, place), runsOf(chunk));
    }
  }
}

function runsOf({ count }: Range): [number, number] {
  return workgroups(Math.ceil(count / RUN), GROUP);
}
