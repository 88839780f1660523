/** From the groups that were found to their catalogue: sums over their members, a chunk of slots at a time. */
import massWgsl from "../../../wgsl/engine/gpu-particles/mass-by-slot.wgsl";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../../foundation/gpu/buffers.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import { largestBinding, type Range, ranges } from "../../foundation/gpu/windows.ts";
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
  const sumsOf = await memberSums(run, own, found.chunks, velocityScale);
  const large = groups.length / GROUP_WORDS;
  const references = new Uint32Array(REFERENCE_WORDS * large);
  const spreads = new Uint32Array(SPREAD_WORDS * large);
  const motions: GroupMotion[] = [];
  const most = Math.floor(largestBinding(run.gpu.device.limits) / (4 * SUM_WORDS));
  for (const range of large > 0 ? ranges(large, most) : []) {
    const part = await sumsOf(range, groups);
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

/** What gives the sums over the members of a range of groups; `groups`: members and labels of all. */
async function memberSums(run: FriendsRun, own: BufferPool, chunks: readonly SlotChunk[], velocityScale: number) {
  const { particles, gpu } = run;
  const { massWindows } = particles;
  const bySlot = chunks.length > 1 && massWindows !== undefined;
  // By id of the only chunk, or by slot of the one at work; undefined where masses are equal.
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
  const k = await run.kernels("refer", "sums", "farthest", "spread");
  const scale = own.uniform("friends of friends, velocity scale", f32(velocityScale));
  /** A kernel over the members in all chunks. */
  const encode = (batch: Batch, kernel: Kernel, by: GPUBuffer, into: GPUBuffer, place: GPUBuffer) => {
    for (const chunk of members) {
      chunk.encodeMasses(batch);
      const { search, positions, numbers, velocities, ids, images } = chunk;
      const buffers = [search, positions, numbers, ids, massUnits ?? ids, velocities, by, images, into, scale, place];
      batch.dispatch(kernel.bind(...buffers), runsOf(chunk));
    }
  };
  return async (range: Range, groups: Uint32Array<ArrayBuffer>) => {
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
      for (const chunk of members) {
        const { search, positions, numbers, ids, images, velocities } = chunk;
        const buffers = [search, positions, numbers, ids, described, velocities, references, images, ids, scale, place];
        batch.dispatch(k.refer.bind(...buffers), runsOf(chunk));
      }
      encode(batch, k.sums, references, totals, place);
      await batch.submit();
      const referenceWords = new Uint32Array(await gpu.read(references));
      const sums = new Uint32Array(await gpu.read(totals));
      const motions = Array.from({ length: range.count }, (_, group) => groupMotion(sums, group));
      const places = centreWords(referenceWords, motions);
      const centres = pool.upload("friends of friends, centres", places, "particles");
      await pool.settle();
      const second = gpu.batch("spread of groups").stage(STAGE);
      encode(second, k.farthest, centres, spreads, place);
      encode(second, k.spread, centres, spreads, place);
      await second.submit();
      return { references: referenceWords, motions, spreads: new Uint32Array(await gpu.read(spreads)) };
    } finally {
      pool.destroyAll();
    }
  };
}

function runsOf({ count }: Range): [number, number] {
  return workgroups(Math.ceil(count / RUN), GROUP);
}
