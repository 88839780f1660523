/** Which level counts at a point: the finest, among equals the one further inside, as wgsl/engine/mesh/levels/level-weights.wgsl has it. */
import { describe, expect, it } from "vitest";
import { stencilReach } from "../../src/engine/mesh/deposit/stencil.ts";
import {
  cellsRead,
  firstCells,
  LEVEL_EDGE,
  levelGeometry,
  levelProblems,
} from "../../src/engine/mesh/levels/level-grid.ts";
import { levelRegion } from "../../src/engine/mesh/levels/level-regions.ts";
import type { Level } from "../../src/engine/mesh/levels/level-settings.ts";
import { meshSizes } from "../../src/foundation/deck/mesh-sizes.ts";

const level = (parent?: number): Level => ({
  ...{ name: "level", parent, refinement: 2, cells: 64, follows: [], place: [0.5, 0.5, 0.5], substeps: 1 },
});

describe("the level that counts at a point", () => {
  const levels = [level(), level(0), level()];
  const geometry = levelGeometry(levels, 64, 3);
  const centres = [0.3, 0.5, 0.5, 0.3, 0.5, 0.5, 0.95, 0.5, 0.5];
  const at = (x: number, isolated = false) => levelRegion({ levels, geometry, centres, isolated }, [x, 0.5, 0.5]);
  /** Half sides of cores in boxes, and depths of blends: two cells of the parent. */
  const [outer, inner] = [geometry[0].core / 64, geometry[1].core / 128];

  it("is the finest that a point is in, which goes over in the last two cells of its parent", () => {
    expect(at(0.3)).toEqual({ level: 1, blend: false });
    expect(at(0.3 + inner - 2.1 / 128)).toEqual({ level: 1, blend: false });
    expect(at(0.3 + inner - 1.9 / 128)).toEqual({ level: 1, blend: true });
    expect(at(0.3 + inner + 0.001)).toEqual({ level: 0, blend: false });
    expect(at(0.3 - outer + 1.9 / 64)).toEqual({ level: 0, blend: true });
    expect(at(0.3 + outer + 0.001)).toEqual({ level: undefined, blend: false });
  });

  it("reaches across a periodic boundary, and keeps from the faces of an isolated box", () => {
    expect(at(0.95 + outer - 1 - 0.001)).toEqual({ level: 2, blend: true });
    expect(at(0.95)).toEqual({ level: 2, blend: false });
    expect(at(0.95, true)).toEqual({ level: undefined, blend: false });
  });

  it("is among equals the one further inside", () => {
    const near = [...centres.slice(0, 6), 0.3 + outer, 0.5, 0.5];
    const found = (x: number) => levelRegion({ levels, geometry, centres: near, isolated: true }, [x, 0.5, 0.5]);
    expect(found(0.3 + outer - 1 / 64)).toEqual({ level: 2, blend: false });
    expect(found(0.3 + 1 / 64 + inner)).toEqual({ level: 0, blend: false });
  });
});

/** A level with the one in it that leaves least of its core, by refinements and scheme. */
const nested = [2, 4].flatMap((outer) =>
  [2, 4].flatMap((inner) =>
    (["ngp", "cic"] as const).map((assignment) => {
      const scheme = { assignment, gradient: "2-point" } as const;
      const reach = stencilReach(scheme);
      const sizes = meshSizes.filter((size) => size >= 48 && size <= 256);
      const pairs = sizes.flatMap((around) =>
        sizes.map((cells): Level[] => [
          { ...level(), refinement: outer as 2 | 4, cells: around },
          { ...level(0), refinement: inner as 2 | 4, cells },
        ]),
      );
      const left = (levels: Level[]) => {
        const [parent, child] = levelGeometry(levels, 256, reach);
        return parent.core * outer - child.core;
      };
      const fitting = pairs.filter(
        (levels) => levelProblems(levels, { ...scheme, cells: 256, boundary: "periodic" }).length === 0,
      );
      const levels = fitting.reduce((best, one) => (left(one) < left(best) ? one : best));
      return { outer, inner, assignment, levels, reach };
    }),
  ),
);

it.each(nested)(
  "what is read of a level, $outer, has what its core and the level in it take, $inner, $assignment",
  ({ levels, reach }) => {
    const geometry = levelGeometry(levels, 256, reach);
    const [parent, child] = levels.map((one, l) => ({ ...one, ...geometry[l], read: cellsRead(one) }));
    for (let centre = 0.4; centre < 0.41; centre += 1e-4) {
      const place = [centre, 0.5, 0.5];
      // In cells of the parent, from the middle of the first to that of the last cell.
      const [first, inParent] = [parent, child].map((one) => firstCells(one, one, place)[0]);
      const from = inParent / child.refinement + child.read.first / child.refinement - LEVEL_EDGE - first;
      const to = (inParent + child.read.first + child.read.count) / child.refinement + LEVEL_EDGE - first;
      expect(from).toBeGreaterThanOrEqual(parent.read.first);
      expect(to).toBeLessThanOrEqual(parent.read.first + parent.read.count);
      for (const [one, at] of [
        [parent, first],
        [child, inParent],
      ] as const) {
        const reached = one.core * one.refinement + reach + 1;
        const middle = centre * one.perBox - at;
        expect(middle - reached).toBeGreaterThanOrEqual(one.read.first);
        expect(middle + reached).toBeLessThanOrEqual(one.read.first + one.read.count);
      }
    }
  },
);
