/** Friends of friends on the GPU against the CPU: the same groups to the particle, and a catalogue equal to float64. */
import { describe, expect, it } from "vitest";
import {
  FriendsOfFriends,
  type FriendsOptions,
  type FriendsResult,
} from "../../src/engine/diagnostics/friends-of-friends.ts";
import { catalogueOfGroups } from "../../src/engine/diagnostics/friends-of-friends-catalogue.ts";
import { friendsTable } from "../../src/engine/diagnostics/memory.ts";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { friendsOfFriends, groupsOf } from "../../src/engine/reference/diagnostics/friends-of-friends.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import { wrapDevice } from "../../src/foundation/gpu/device.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { packImage } from "../../src/physics/particles/fixed-point.ts";
import { clusteredPositions } from "../support/clustered.ts";
import { firstDifference } from "../support/compare.ts";
import { exactState, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { useGpu, withLimits } from "../support/gpu.ts";

const gpu = useGpu();
const BOX = 20;
const TURN = 2 ** 32;

interface Case {
  positions: Uint32Array<ArrayBuffer>;
  images?: Uint32Array<ArrayBuffer>;
  options?: FriendsOptions;
  massOf?: (id: number) => number;
  velocities?: Float32Array<ArrayBuffer>;
}

async function find(given: Case, context = gpu()): Promise<FriendsResult & { linkingLength: number }> {
  const { positions, images, options, massOf } = given;
  const boundary: Boundary = images ? "isolated" : "periodic";
  const set = placeholders(positions.length / 3, massOf);
  const particles = await ParticleBuffers.create(context, set, { boxSize: BOX, boundary });
  try {
    const exact = exactState(positions, boundary, (id) => images?.[id] ?? 0);
    if (given.velocities) exact.velocities = given.velocities;
    await particles.restore(exact);
    const friends = await FriendsOfFriends.create(context, particles, options);
    return { ...(await friends.find()), linkingLength: friends.linkingLength };
  } finally {
    particles.destroy();
  }
}

/** Fixed-point linking length of an instance's [length]. */
const reachOf = (linkingLength: number) => Math.round((linkingLength / BOX) * TURN);

async function expectEqualGroups(given: Case): Promise<FriendsResult> {
  const found = await find(given);
  const labels = friendsOfFriends({ ...given, linkingLength: reachOf(found.linkingLength) });
  expect(firstDifference(found.labels, labels)).toBe("same");
  const sizes = new Map<number, number>();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  expect(found.catalogue.groupsInAll).toBe(sizes.size);
  const minimum = given.options?.minimumMembers ?? 20;
  const large = [...sizes].filter(([, size]) => size >= minimum);
  expect(found.catalogue.count).toBe(large.length);
  expect(found.catalogue.membersInAll).toBe(large.reduce((sum, [, size]) => sum + size, 0));
  return found;
}

/** Clumps about the corner, edges and faces of the box. */
function acrossTheEdge(): Uint32Array<ArrayBuffer> {
  const positions = clusteredPositions(31, { clumps: 40, members: 60, spread: 0.002, field: 500 });
  return positions.map((u, i) => (Math.floor(i / 180) % 2 === 0 && i % 3 !== 1 ? (u >>> 8) - 2 ** 23 : u));
}

/** Isolated: the images that make coordinates near a face continuous; then some particles thrown far away. */
function thrownOut(positions: Uint32Array<ArrayBuffer>) {
  const word = randomWords(6);
  const images = Uint32Array.from({ length: positions.length / 3 }, (_, id) => {
    const near = [0, 1, 2].map((axis) => (positions[3 * id + axis] > 2 ** 31 ? -1 : 0));
    const far = word() % 10 === 0 ? 1 + (word() % 500) : 0;
    return packImage(near[0] + far, near[1], near[2] - far);
  });
  return { positions, images, options: { linkingLength: 0.004 * BOX } };
}

describe("friends of friends on the GPU: the groups of the CPU", () => {
  const clustered = clusteredPositions(7, { clumps: 200, members: 100, spread: 0.004, field: 4001 });

  it.each([
    ["clustered", clustered, {}],
    ["clustered, minimum 2", clustered, { minimumMembers: 2 }],
    ["uniform", randomPositions(20_001, 3), { minimumMembers: 3 }],
    ["near percolation", randomPositions(20_001, 4), { linking: 0.86 }],
    ["percolating", randomPositions(10_007, 5), { linking: 1.3 }],
    ["across the periodic edge", acrossTheEdge(), {}],
    ["the longest linking length", randomPositions(60, 8), { linkingLength: BOX / 8, minimumMembers: 2 }],
    ["the shortest linking length", clustered, { linkingLength: BOX * 2 ** -20, minimumMembers: 2 }],
  ] as const)("%s", async (_, positions, options) => {
    const { catalogue } = await expectEqualGroups({ positions, options });
    expect(catalogue.minimumMembers).toBe("minimumMembers" in options ? options.minimumMembers : 20);
  });

  it("in hash tables of half the size, where the adapter binds no larger ones", async () => {
    const count = 21_000;
    const limit = 255_000;
    expect([friendsTable(count), friendsTable(count, limit)]).toEqual([65_536, 32_768]);
    const device = withLimits(gpu().device, { maxStorageBufferBindingSize: limit });
    const limited = new GpuContext(device, gpu().adapter, { owned: false });
    const given = { positions: randomPositions(count, 3), options: { minimumMembers: 3 } };
    try {
      expect(await find(given, limited)).toEqual(await find(given));
    } finally {
      limited.destroy();
    }
  });

  it("is one group that percolates", async () => {
    const { catalogue } = await expectEqualGroups({ positions: randomPositions(5000, 6), options: { linking: 1.6 } });
    expect(catalogue.groupsInAll).toBe(1);
    expect(catalogue.members[0]).toBe(5000);
  });

  it("of a lattice, of one particle and of two is no halo", async () => {
    const lattice = Uint32Array.from(
      { length: 3 * 512 },
      (_, i) => 2 ** 29 * (Math.floor(Math.floor(i / 3) / 8 ** (i % 3)) % 8),
    );
    for (const positions of [lattice, randomPositions(1, 2), randomPositions(2, 2)]) {
      const { catalogue, labels } = await expectEqualGroups({ positions, options: { linkingLength: BOX / 10 } });
      expect(catalogue.count).toBe(0);
      expect(catalogue.ids.length).toBe(0);
      expect(labels).toEqual(Uint32Array.from(labels, (_, id) => id));
    }
  });

  it("links at b exactly and not a unit of 2^-32 beyond, on every axis, diagonal and edge of the box", async () => {
    // 2² + 2² + 1² = 3²; a unit more or less is below the resolution of float32.
    const third = 2 ** 24 + 12_345;
    const reach = 3 * third;
    const steps = [
      [3, 0, 0],
      [0, -3, 0],
      [0, 0, 3],
      [2, 2, 1],
      [-2, 1, 2],
      [1, -2, -2],
    ];
    const word = randomWords(12);
    const pairs: number[] = [];
    for (let i = 0; i < 600; i++) {
      const [step, excess] = [steps[i % 6], Math.floor(i / 6) % 3];
      // Far from other pairs; the first plane lies across a face.
      const start = [i % 10, Math.floor(i / 10) % 10, Math.floor(i / 100)].map(
        (k) => (k * TURN) / 10 - (word() % third),
      );
      const axis = step.findIndex((s) => s !== 0);
      const end = start.map((x, k) => x + step[k] * third + (k === axis ? [0, 1, -1][excess] * Math.sign(step[k]) : 0));
      pairs.push(...start, ...end);
    }
    const positions = Uint32Array.from(pairs, (x) => (x + TURN) % TURN);
    const { labels } = await expectEqualGroups({
      positions,
      options: { linkingLength: (BOX * reach) / TURN, minimumMembers: 2 },
    });
    for (let i = 0; i < 600; i++) {
      const excess = Math.floor(i / 6) % 3;
      expect(labels[2 * i + 1]).toBe(excess === 1 ? 2 * i + 1 : 2 * i);
    }
  });

  it("crowds 50 000 particles into a cell, beside another clump a little too far away", async () => {
    const crowd = 50_000;
    const b = TURN / 512;
    const word = randomWords(14);
    const at = (id: number, axis: number) => {
      const centre = 2 ** 31 + (id % 2 === 1 && axis === 0 ? 1.05 * b : 0);
      return centre + (word() % (b / 64)) - b / 128;
    };
    const positions = Uint32Array.from({ length: 3 * crowd }, (_, i) => at(Math.floor(i / 3), i % 3));
    const { labels, catalogue } = await find({ positions, options: { linkingLength: BOX / 512 } });
    expect(
      firstDifference(
        labels,
        Uint32Array.from(labels, (_, id) => id % 2),
      ),
    ).toBe("same");
    expect(Array.from(catalogue.members)).toEqual([crowd / 2, crowd / 2]);
    const together = await find({ positions, options: { linkingLength: BOX / 450 } });
    expect(Array.from(together.catalogue.members)).toEqual([crowd]);
    const point = new Uint32Array(3 * crowd).fill(77);
    expect(Array.from((await find({ positions: point })).catalogue.members)).toEqual([crowd]);
  });

  it("knows the boxes of an isolated run", async () => {
    const given = thrownOut(acrossTheEdge());
    const { positions } = given;
    const { labels } = await expectEqualGroups(given);
    expect(labels).not.toEqual((await find({ positions, options: given.options })).labels);
  });
});

describe("particles in windows", () => {
  const inWindows = async (given: Case, particles: number) => {
    const context = new GpuContext(gpu().device, gpu().adapter, {
      owned: false,
      parent: gpu(),
      windows: { particles },
    });
    try {
      return await find(given, context);
    } finally {
      context.destroy();
    }
  };
  const clustered = clusteredPositions(7, { clumps: 200, members: 100, spread: 0.004, field: 4001 });
  const word = randomWords(41);
  const massOf = (id: number) => 1 + (id % 7);
  const velocities = Float32Array.from({ length: clustered.length }, () => (40 * word()) / TURN - 20);

  it.each([
    ["clustered", { positions: clustered, velocities }],
    [
      "clustered, unequal masses, minimum 1",
      { positions: clustered, massOf, velocities, options: { minimumMembers: 1 } },
    ],
    ["percolating, one group in all domains", { positions: randomPositions(20_011, 5), options: { linking: 1.3 } }],
    ["near percolation", { positions: randomPositions(20_001, 4), options: { linking: 0.86, minimumMembers: 2 } }],
    ["across the periodic edge", { positions: acrossTheEdge(), options: { linkingLength: 0.004 * BOX } }],
    ["isolated, with particles far outside", thrownOut(acrossTheEdge())],
  ] as const)("have the same groups and catalogue: %s", async (_, given) => {
    const found = await inWindows(given as Case, 4096);
    expect(found).toEqual(await find(given as Case));
  });

  it("are searched in boxes of several axes where a slab holds too many", async () => {
    // Half of the particles in a thin plate, a quarter in a thin rod.
    const u = randomPositions(30_000, 17);
    const positions = u.map((x, i) => {
      const [id, axis] = [Math.floor(i / 3), i % 3];
      const thin = id % 4 === 0 ? axis !== 0 : id % 4 === 1 ? false : axis === 2;
      return thin ? 2 ** 31 + (x >>> 8) : x;
    });
    const given = { positions, options: { linkingLength: BOX / 200, minimumMembers: 2 } };
    expect(await inWindows(given, 4096)).toEqual(await find(given));
  });

  it("are refused where too many lie together, and nothing is kept", async () => {
    const crowded = new Uint32Array(3 * 10_000).fill(77);
    const before = gpu().buffers.bytes().total;
    await expect(inWindows({ positions: crowded }, 4096)).rejects.toThrow(/links 4096 particles at a time/);
    expect(gpu().buffers.bytes().total).toBe(before);
  });
});

describe("more groups than a binding holds sums of", () => {
  it("are summed in ranges", async () => {
    const given = { positions: randomPositions(21_000, 3), options: { minimumMembers: 1 } };
    const device = withLimits(gpu().device, { maxStorageBufferBindingSize: 255_000 });
    const limited = new GpuContext(device, gpu().adapter, { owned: false });
    try {
      const found = await find(given, limited);
      expect(found.catalogue.count).toBeGreaterThan(2 * (255_000 / 84));
      expect(found).toEqual(await find(given));
    } finally {
      limited.destroy();
    }
  });
});

describe("the catalogue", () => {
  const word = randomWords(40);
  const positions = acrossTheEdge();
  const count = positions.length / 3;
  const weights = Float64Array.from({ length: count }, () => 0.001 + word() / TURN);
  // Streaming much faster than the dispersion.
  const velocities = Float32Array.from({ length: 3 * count }, (_, i) => 300 * (i % 3) - 250 + (40 * word()) / TURN);

  it.each([
    { boundary: "periodic", masses: "equal" },
    { boundary: "periodic", masses: "unequal" },
    { boundary: "isolated", masses: "equal" },
    { boundary: "isolated", masses: "unequal" },
  ])("equals float64: $boundary, $masses masses", async ({ boundary, masses }) => {
    const massOf = masses === "equal" ? () => 3 : (id: number) => weights[id];
    const images = Uint32Array.from({ length: count }, (_, id) => {
      const near = [0, 1, 2].map((axis) => (positions[3 * id + axis] > 2 ** 31 ? -1 : 0));
      return packImage(near[0], near[1] + 5, near[2]);
    });
    const given = { positions, massOf, velocities, ...(boundary === "isolated" && { images }) };
    const { catalogue, linkingLength } = await find({ ...given, options: { linkingLength: 0.004 * BOX } });
    const reach = { ...given, linkingLength: reachOf(linkingLength) };
    const labels = friendsOfFriends(reach);
    const groups = groupsOf(labels, {
      ...reach,
      masses: Float64Array.from({ length: count }, (_, id) => massOf(id)),
      boxSize: BOX,
      minimumMembers: 20,
    });
    const groupsInAll = new Set(labels).size;
    const expected = catalogueOfGroups(groups, { linkingLength, minimumMembers: 20, boxSize: BOX, groupsInAll });
    expect(expected.count).toBeGreaterThan(30);
    for (const key of ["count", "ids", "members", "minimumMembers", "groupsInAll", "membersInAll"] as const) {
      expect(catalogue[key]).toEqual(expected[key]);
    }
    // Mass units round masses to 2^-23 of the heaviest; positions are exact; velocities have 30 bits.
    const weighting = masses === "equal" ? 1e-9 : 1e-6;
    const expectClose = (found: number, value: number, error: number) =>
      expect(Math.abs(found - value)).toBeLessThanOrEqual(error);
    for (let i = 0; i < expected.count; i++) {
      expectClose(catalogue.masses[i], expected.masses[i], weighting * expected.masses[i]);
      for (let j = 3 * i; j < 3 * i + 3; j++) {
        expectClose(catalogue.positions[j], expected.positions[j], weighting * expected.rmsRadii[i]);
        expectClose(catalogue.velocities[j], expected.velocities[j], 1e-6 * expected.velocityDispersions[i]);
      }
      for (const key of ["rmsRadii", "maxRadii", "velocityDispersions"] as const) {
        expectClose(catalogue[key][i], expected[key][i], 1e-6 * expected[key][i]);
      }
    }
  });

  it("has the same bits whatever the order of the particles in memory", async () => {
    const set = placeholders(count, (id) => weights[id]);
    const particles = await ParticleBuffers.create(gpu(), set, { boxSize: BOX, boundary: "periodic" });
    await particles.restore({ positions, velocities });
    const friends = await FriendsOfFriends.create(gpu(), particles, { minimumMembers: 2 });
    const first = await friends.find();
    expect(await friends.find()).toEqual(first);
    // The other half holds them in another order.
    const slots = Uint32Array.from({ length: count }, (_, slot) => (slot * 1_009) % count);
    expect(new Set(slots).size).toBe(count);
    const { queue } = gpu().device;
    queue.writeBuffer(particles.ids[1], 0, slots);
    const moved = (i: number) => 3 * slots[Math.floor(i / 3)] + (i % 3);
    queue.writeBuffer(
      particles.positions[1],
      0,
      positions.map((_, i) => positions[moved(i)]),
    );
    queue.writeBuffer(
      particles.velocities[1],
      0,
      velocities.map((_, i) => velocities[moved(i)]),
    );
    particles.flip();
    expect(await friends.find()).toEqual(first);
    particles.destroy();
  });

  it("needs no more than the limits that every implementation has", async () => {
    const images = new Uint32Array(count);
    const given = { positions, massOf: (id: number) => weights[id], velocities, images };
    const device = await (await nodeGpu().requestAdapter())!.requestDevice({ label: "default limits" });
    const plain = wrapDevice(device);
    try {
      expect(await find(given, plain)).toEqual(await find(given));
    } finally {
      plain.destroy();
      device.destroy();
    }
  });

  it("refuses what makes no sense, and gives its memory back", async () => {
    const particles = await ParticleBuffers.create(gpu(), placeholders(100), { boxSize: BOX, boundary: "periodic" });
    for (const options of [{ linking: 0 }, { linkingLength: BOX }, { minimumMembers: 0 }, { minimumMembers: 1.5 }]) {
      await expect(FriendsOfFriends.create(gpu(), particles, options)).rejects.toThrow(/friends of friends/);
    }
    const before = gpu().buffers.bytes().total;
    const friends = await FriendsOfFriends.create(gpu(), particles);
    await friends.find();
    expect(gpu().buffers.bytes().total).toBe(before);
    gpu().device.queue.writeBuffer(particles.velocities[0], 40, new Float32Array([Number.NaN]));
    await expect(friends.find()).rejects.toThrow(/finite/);
    expect(gpu().buffers.bytes().total).toBe(before);
    particles.destroy();
  });
});
