/** Mass that ranks add up and fields that they hand on, in several pieces, of meshes that each rank cuts in its own way. */
import { describe, expect, it, vi } from "vitest";
import { SharedMass } from "../../src/engine/mesh/deposit/shared-mass.ts";
import { createMeshBuffers, FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers } from "../../src/engine/mesh/field.ts";
import { ownForceParts } from "../../src/engine/mesh/force/force-mesh.ts";
import { SharedField } from "../../src/engine/mesh/force/shared-field.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import type { Ranks } from "../../src/foundation/ranks/ranks.ts";
import { eachSolves, type Solving, solvingBy } from "../../src/foundation/ranks/solving.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { poison, useGpu } from "../support/gpu.ts";
import { ranksTogether } from "../support/ranks.ts";

const gpu = useGpu();

const CELLS = 16;
/** Planes that a slab of each rank may have: all, and such that pieces of five planes end within slabs. */
const CUTS = [CELLS, 6, 4];

const contextFor = (planes: number) =>
  new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows: { planes } });

interface Rank {
  one: Ranks;
  context: GpuContext;
  mesh: MeshBuffers;
}

/** Three ranks with a mesh each, whose buffers hold what nobody would write. */
function ranksWithMeshes(): Rank[] {
  return ranksTogether(CUTS.length).map((one, rank) => {
    const context = contextFor(CUTS[rank]);
    const mesh = createMeshBuffers(context, wholeBoxGrid(CELLS, "periodic"));
    expect(mesh.slabs).toHaveLength(Math.ceil(CELLS / CUTS[rank]));
    for (const { field, high, force } of mesh.slabs) for (const buffer of [field, high, force]) poison(context, buffer);
    return { one, context, mesh };
  });
}

interface Part {
  buffer: GPUBuffer;
  offset: number;
  bytes: number;
}

/** Where the planes of a mesh lie, without ghosts: of the field, or of both parts of the force. */
const fieldOf = ({ slabs, pitch }: MeshBuffers): Part[] =>
  slabs.map(({ field, planes, cut }) => {
    const plane = FIELD_BYTES * pitch * CELLS;
    return { buffer: field, offset: cut ? FIELD_GHOSTS * plane : 0, bytes: plane * planes };
  });
const forceOf = ({ slabs }: MeshBuffers): Part[] =>
  ([0, 1] as const).flatMap((part) =>
    slabs.map((slab) => {
      const { buffer, offset, size } = ownForceParts(slab, CELLS)[part];
      return { buffer, offset, bytes: size };
    }),
  );

const lengthOf = (parts: readonly Part[]) => parts.reduce((sum, { bytes }) => sum + bytes, 0) / 4;

function write({ context }: Rank, parts: readonly Part[], words: Uint32Array<ArrayBuffer>): void {
  let first = 0;
  for (const { buffer, offset, bytes } of parts) {
    context.device.queue.writeBuffer(buffer, offset, words.slice(first, first + bytes / 4));
    first += bytes / 4;
  }
}

async function read({ context }: Rank, parts: readonly Part[]): Promise<Uint32Array> {
  const words = new Uint32Array(lengthOf(parts));
  let first = 0;
  for (const { buffer, offset, bytes } of parts) {
    words.set(new Uint32Array(await context.read(buffer, offset, bytes)), first);
    first += bytes / 4;
  }
  return words;
}

const pattern = (length: number, salt: number) =>
  Uint32Array.from({ length }, (_, i) => Math.imul(i + 1, 2654435761) ^ Math.imul(salt, 40503));

describe.each([
  ["one piece", undefined, [1, 1, 1]],
  ["pieces of two to five planes", 5 * FIELD_BYTES * (CELLS + 2) * CELLS, [4, 8, 4]],
  ["planes that are more than a piece should be", 1000, [CELLS, CELLS, CELLS]],
])("a mesh in %s", (_, mostBytes, [ofField, ofXy, ofZ]) => {
  it.each([false, true])("has the field of the rank that solves, with its force: %s", async (withForce) => {
    const ranks = ranksWithMeshes();
    const partsOf = ({ mesh }: Rank) => [...fieldOf(mesh), ...(withForce ? forceOf(mesh) : [])];
    const handing = vi.spyOn(ranks[0].one, "handOn");
    const options = { withForce, ...(mostBytes && { mostBytes }) };
    const fields = ranks.map(({ one, context, mesh }) => SharedField.of(context, one, mesh, options));
    const force = forceOf(ranks[2].mesh);
    const before = await read(ranks[2], force);
    for (const step of [1, 2]) {
      const solved = pattern(lengthOf(partsOf(ranks[0])), step);
      write(ranks[0], partsOf(ranks[0]), solved);
      let met = 0;
      await Promise.all(
        ranks.map(async ({ context }, rank) => {
          const next = await fields[rank].handOn(context.batch("solving"), async () => void met++);
          await next.submit();
          await fields[rank].handed;
        }),
      );
      expect(met).toBe(ranks.length);
      for (const rank of ranks) expect(await read(rank, partsOf(rank))).toEqual(solved);
    }
    expect(handing).toHaveBeenCalledTimes(2 * (withForce ? ofField + ofXy + ofZ : ofField));
    if (!withForce) expect(await read(ranks[2], force)).toEqual(before);
    for (const { context } of ranks) context.destroy();
  });
});

describe.each([
  ["one part", undefined],
  ["parts of five planes", 5 * 8 * CELLS ** 2],
  ["planes that are more than a part should be", 1000],
])("mass in %s", (_, mostBytes) => {
  const SOLVING: Record<string, (one: Ranks) => Promise<Solving>> = {
    "each rank solves": async (one) => eachSolves(one),
    "one solves for all": (one) => solvingBy(one, [0, 0, 0]),
    "two of them solve": (one) => solvingBy(one, [0, 0, 1]),
  };

  it.each(Object.keys(SOLVING))("is that of all ranks where %s", async (who) => {
    const ranks = ranksWithMeshes();
    const solving = await Promise.all(ranks.map(({ one }) => SOLVING[who](one)));
    const masses = await Promise.all(
      ranks.map(({ context, mesh: { cells, pitch, slabs } }, rank) =>
        SharedMass.create(context, solving[rank], {
          ...{ cells, pitch, ...(mostBytes && { mostBytes }) },
          slabs: slabs.map(({ field, high, planes, cut }) => {
            return { field, high, planes, ghostRows: cut ? FIELD_GHOSTS * cells : 0 };
          }),
        }),
      ),
    );
    const highOf = ({ mesh }: Rank): Part[] =>
      mesh.slabs.map(({ high, planes }) => ({ buffer: high, offset: 0, bytes: 4 * planes * CELLS ** 2 }));
    // Low words in rows of the pitch, whose last words are no cells.
    const { pitch } = ranks[0].mesh;
    const cellsOf = (field: Uint32Array, high: Uint32Array) =>
      BigUint64Array.from({ length: CELLS ** 3 }, (_, cell) => {
        const low = field[Math.floor(cell / CELLS) * pitch + (cell % CELLS)];
        return BigInt(low) + (BigInt(high[cell]) << 32n);
      });
    const given = ranks.map((rank, k) => {
      const [field, high] = [pattern(CELLS ** 2 * pitch, k), pattern(CELLS ** 3, 10 + k)];
      write(rank, fieldOf(rank.mesh), field);
      write(rank, highOf(rank), high);
      return cellsOf(field, high);
    });
    await Promise.all(
      ranks.map(async ({ context }, k) => {
        const ended = masses[k].encode(context.batch("deposit")).submit();
        if (!masses[k].keepsOwn) await ended;
        await (await masses[k].sum(ended)).submit();
      }),
    );
    const sum = given[0].map((mass, cell) => BigInt.asUintN(64, mass + given[1][cell] + given[2][cell]));
    for (const [k, rank] of ranks.entries()) {
      if (solving[k].group.rank > 0) continue;
      expect(cellsOf(await read(rank, fieldOf(rank.mesh)), await read(rank, highOf(rank)))).toEqual(sum);
    }
    for (const { context } of ranks) context.destroy();
  });
});
