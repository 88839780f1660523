/** The rule for the shape of the update. */
import { expect, it } from "vitest";
import type { Assignment } from "../../src/engine/mesh/settings.ts";
import type { MeshStage } from "../../src/engine/mesh/stage.ts";
import { leapfrogShape, shapeName } from "../../src/engine/time/leapfrog-shapes.ts";
import { pinnedShapes } from "../../src/foundation/gpu/shapes.ts";

interface Given {
  software?: boolean;
  assignment?: Assignment;
  count?: number;
  texture?: number;
  pin?: string;
}

const nameFor = ({ software = true, assignment = "cic", count = 16 ** 3, texture = 2048, pin }: Given) => {
  const gpu = {
    adapter: { software },
    device: { limits: { maxTextureDimension3D: texture } },
    shapes: pin && pinnedShapes(`update=${pin}`),
  };
  const settings = { mesh: { assignment } };
  return shapeName(leapfrogShape({ gpu, particles: { count }, mesh: { cells: 16 }, settings } as unknown as MeshStage));
};

it("goes by the kind of adapter, the assignment, and particles beside cells", () => {
  expect(nameFor({})).toBe("32 in a run, texels");
  expect(nameFor({ assignment: "tsc" })).toBe("32 in a run, texels");
  expect(nameFor({ assignment: "ngp" })).toBe("8 in a run");
  expect(nameFor({ count: 16 ** 3 / 8 })).toBe("32 in a run, texels");
  expect(nameFor({ count: 16 ** 3 / 8 - 1 })).toBe("8 in a run");
  expect(nameFor({ texture: 15 })).toBe("8 in a run");
  expect(nameFor({ software: false })).toBe("1 in a run");
});

it("is the one that is pinned, where there is such a one", () => {
  expect(nameFor({ pin: "1 in a run" })).toBe("1 in a run");
  expect(nameFor({ software: false, pin: "8 in a run" })).toBe("8 in a run");
  expect(() => nameFor({ software: false, pin: "32 in a run, texels" })).toThrow(
    /expected one of 1 in a run; 8 in a run/,
  );
});
