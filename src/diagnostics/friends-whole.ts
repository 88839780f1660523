/** Groups of particles that lie in one window: all are linked at once. */
import { workgroups } from "../gpu/batch.ts";
import type { BufferPool } from "../gpu/buffers.ts";
import { type FoundGroups, type FriendsRun, GROUP, Linking, RUN } from "./friends-linking.ts";
import { GROUP_WORDS } from "./friends-of-friends-catalogue.ts";

/** Takes 52 to 68 bytes a particle in `own`. */
export async function groupsOfWhole(run: FriendsRun, own: BufferPool): Promise<FoundGroups> {
  const { gpu, particles, minimumMembers } = run;
  const { count, current } = particles;
  const [window] = particles.windows;
  const [x, v, id] = [window.positions[current], window.velocities[current], window.ids[current]];
  const image = window.images?.[current] ?? id;
  const k = await run.kernels("flatten", "number", "assign");
  const search = run.searchUniform(own, count);
  const [sizes, labels] = ["sizes", "labels"].map((label) => run.words(own, label, count));
  const fastest = run.words(own, "largest velocity", 1);
  const tally = run.words(own, "groups counted", 3);
  const groups = run.words(own, "groups", GROUP_WORDS * Math.max(1, Math.floor(count / minimumMembers)));
  const linking = await Linking.create(run, own, count);
  const all = workgroups(count, GROUP);
  const runs = workgroups(Math.ceil(count / RUN), GROUP);
  const { heads, parents, starts } = linking;
  const numbers = parents; // the forest is done when groups are numbered
  const labelOf = linking.ranks;
  try {
    const batch = gpu.batch("friends of friends").stage("friends of friends");
    linking.encode(batch, { count, search, positions: x, images: image });
    await batch
      .dispatch(k.flatten.bind(search, v, heads, id, starts, sizes, labels, fastest, parents), all)
      .dispatch(k.number.bind(search, sizes, groups, tally, labels, numbers), runs)
      .dispatch(k.assign.bind(search, x, heads, id, labels, numbers, heads, image, labelOf), all)
      .submit();
  } finally {
    linking.destroy();
  }
  const [groupsInAll, large, membersInAll] = new Uint32Array(await gpu.read(tally));
  return {
    groups: new Uint32Array(await gpu.read(groups, 0, 4 * GROUP_WORDS * large)),
    ...{ groupsInAll, membersInAll },
    fastest: new Float32Array(await gpu.read(fastest))[0],
    numbers: [heads],
    labels: async () => new Uint32Array(await gpu.read(labelOf)),
  };
}
