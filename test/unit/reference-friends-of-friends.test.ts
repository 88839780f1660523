/** Friends of friends on the CPU against all pairs, the geometry of the GPU's search, and the mass function. */
import { describe, expect, it } from "vitest";
import { haloMassFunction } from "../../src/engine/diagnostics/friends-of-friends-catalogue.ts";
import { friendsSearch } from "../../src/engine/diagnostics/friends-of-friends-search.ts";
import { friendsOfFriends, groupsOf } from "../../src/engine/reference/diagnostics/friends-of-friends.ts";
import { imageOnAxis, packImage } from "../../src/physics/particles/fixed-point.ts";
import { clusteredPositions } from "../support/clustered.ts";
import { randomPositions, randomWords } from "../support/exact-particles.ts";

const TURN = 2 ** 32;

/** Labels from all pairs in BigInt, spread until nothing changes. */
function allPairs(positions: Uint32Array, linkingLength: number, images?: Uint32Array): Uint32Array {
  const count = positions.length / 3;
  const labels = Uint32Array.from({ length: count }, (_, i) => i);
  const square = BigInt(linkingLength) ** 2n;
  const pairs: [number, number][] = [];
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) {
      let d2 = 0n;
      for (let axis = 0; axis < 3; axis++) {
        let d = BigInt(positions[3 * i + axis]) - BigInt(positions[3 * j + axis]);
        if (images) d += BigInt(TURN) * BigInt(imageOnAxis(images[i], axis) - imageOnAxis(images[j], axis));
        else d = BigInt.asIntN(32, d);
        d2 += d * d;
      }
      if (d2 <= square) pairs.push([i, j]);
    }
  }
  for (let changed = true; changed; ) {
    changed = false;
    for (const [i, j] of pairs) {
      if (labels[i] === labels[j]) continue;
      labels[i] = labels[j] = Math.min(labels[i], labels[j]);
      changed = true;
    }
  }
  return labels;
}

describe("friends of friends in float64", () => {
  const clustered = clusteredPositions(2, { clumps: 12, members: 25, spread: 0.02, field: 60 });

  it.each([0.002, 0.01, 0.03, 0.06, 0.25])("equals all pairs, b = %f of the box", (fraction) => {
    const linkingLength = Math.round(fraction * TURN);
    for (const positions of [clustered, randomPositions(300, 5)]) {
      const labels = friendsOfFriends({ positions, linkingLength });
      expect(labels).toEqual(allPairs(positions, linkingLength));
    }
  });

  it("equals all pairs across the faces of an isolated box", () => {
    const word = randomWords(6);
    const images = Uint32Array.from({ length: clustered.length / 3 }, () =>
      packImage((word() % 3) - 1, (word() % 2) - 1, word() % 2),
    );
    // About the corners, so that neighbours lie in different boxes.
    const positions = clustered.map((u) => (u % 2 === 0 ? u >>> 4 : TURN - 1 - (u >>> 4)));
    const linkingLength = Math.round(0.01 * TURN);
    const labels = friendsOfFriends({ positions, images, linkingLength });
    expect(labels).toEqual(allPairs(positions, linkingLength, images));
    expect(labels).not.toEqual(allPairs(positions, linkingLength));
  });

  it("finds a group's properties", () => {
    const unit = TURN / 8; // 1 of a box of side 8
    const positions = Uint32Array.from([7.5, 1, 2, 0.5, 1, 2, 0.5, 1, 3, 4, 4, 4], (x) => x * unit);
    const [group, ...others] = groupsOf(friendsOfFriends({ positions, linkingLength: 1.2 * unit }), {
      positions,
      linkingLength: 1.2 * unit,
      velocities: Float32Array.from([1, 0, 0, 3, 0, 0, 2, 0, 4, 9, 9, 9]),
      masses: Float64Array.from([1, 1, 2, 5]),
      boxSize: 8,
      minimumMembers: 2,
    });
    expect(others).toEqual([]);
    expect(group).toMatchObject({ id: 0, members: 3, mass: 4, velocity: [2, 0, 2] });
    expect(group.position).toEqual([0.25, 1, 2.5]);
    // r² = .5625 + .25, .0625 + .25, .0625 + .25; |v − v̄|² = 5, 5, 4
    expect(group.rmsRadius).toBeCloseTo(Math.sqrt((0.8125 + 0.3125 + 2 * 0.3125) / 4), 12);
    expect(group.maxRadius).toBeCloseTo(Math.sqrt(0.8125), 12);
    expect(group.velocityDispersion).toBeCloseTo(Math.sqrt((5 + 5 + 8) / 4 / 3), 12);
  });
});

describe("the search for friends", () => {
  const fractions = [2 ** -20, 1e-5, 0.0019, 0.01, 0.03, 0.07, 1 / 11, 0.1, 0.11, 0.1176, 0.12, 0.1249, 0.125];

  it.each(fractions)("has cells of friends, and friends in neighbouring blocks: b = %f", (fraction) => {
    const { reach, cells } = friendsSearch(fraction * 100, 100);
    const square = BigInt(reach) ** 2n;
    const side = BigInt(Math.ceil(TURN / cells));
    expect(3n * (side - 1n) ** 2n <= square).toBe(true);
    // Friends are at most two cells apart: three are more than two whole cells. So they are in neighbouring blocks.
    expect(2 * Math.floor(TURN / cells) + 1).toBeGreaterThan(reach);
    // No neighbour twice in a periodic box.
    expect(cells % 2).toBe(0);
    expect(cells / 2).toBeGreaterThanOrEqual(3);
  });

  it("refuses lengths without sense", () => {
    for (const length of [0, -1, Number.NaN, 13, 100 * 2 ** -21]) {
      expect(() => friendsSearch(length, 100)).toThrow(/linking length/);
    }
  });
});

describe("the mass function", () => {
  it("counts haloes in bins of log M", () => {
    const masses = Float64Array.from([1000, 200, 100, 20, 15, 10, 10]);
    const { low, high, mass, number, density, cumulative } = haloMassFunction({ masses, boxSize: 2 }, { perDecade: 1 });
    expect(Array.from(number)).toEqual([4, 2, 1]);
    expect(Array.from(cumulative)).toEqual([7 / 8, 3 / 8, 1 / 8]);
    for (const [edges, expected] of [
      [low, [10, 100, 1000]],
      [high, [100, 1000, 10_000]],
    ] as const) {
      edges.forEach((edge, bin) => {
        expect(edge / expected[bin]).toBeCloseTo(1, 12);
      });
    }
    expect(Array.from(mass)).toEqual([55 / 4, 150, 1000]);
    expect(density[0]).toBeCloseTo(4 / 8 / Math.LN10, 12);
  });

  it("of no haloes is empty", () => {
    expect(haloMassFunction({ masses: new Float64Array(0), boxSize: 1 }).number.length).toBe(0);
    expect(() => haloMassFunction({ masses: new Float64Array(1), boxSize: 1 }, { perDecade: -1 })).toThrow(/decade/);
  });
});
