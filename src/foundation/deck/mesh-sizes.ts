/** Mesh sizes that the FFT takes: 2^k and 3·2^k cells per side, from 16 upward. */
import { z } from "zod";
import { kindOfValue } from "./keys.ts";

export const SMALLEST_MESH = 16;
export const LARGEST_MESH = 16_384;

const OCTAVES = Math.log2(LARGEST_MESH / SMALLEST_MESH);

/** All valid sizes, ascending: 16, 24, 32, 48, 64, 96, … */
export const meshSizes: readonly number[] = Array.from({ length: 2 * OCTAVES + 1 }, (_, k) =>
  k % 2 === 0 ? SMALLEST_MESH * 2 ** (k / 2) : 1.5 * SMALLEST_MESH * 2 ** ((k - 1) / 2),
);

export function isMeshSize(cells: number): boolean {
  return meshSizes.includes(cells);
}

/** The valid sizes on either side of `cells`: one or two of them. */
export function nearestMeshSizes(cells: number): number[] {
  const below = meshSizes.findLast((size) => size <= cells);
  const above = meshSizes.find((size) => size >= cells);
  return [...new Set([below, above])].filter((size) => size !== undefined);
}

export const meshSize = kindOfValue(
  () => z.int().refine(isMeshSize),
  `2^k or 3*2^k cells, from ${SMALLEST_MESH} to ${LARGEST_MESH}`,
  "2^k or 3·2^k, ≥ 16",
  {
    integer: true,
    hint(value) {
      if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
      const nearest = nearestMeshSizes(value);
      return `${nearest.length > 1 ? "Nearest valid sizes" : "Nearest valid size"}: ${nearest.join(" and ")}`;
    },
  },
);
