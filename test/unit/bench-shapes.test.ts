/** Which shapes of kernels `bench stages --shapes` proposes to pin. */
import { expect, it } from "vitest";
import { pinOf, shapesText } from "../../src/study/bench/shapes.ts";

const step = (stage: "deposit" | "update", shape: string, ratio: number, atMost = ratio) => {
  return { stage, shape, stepMs: 10 * ratio, ratio, atMost };
};

it("are the best of each stage, where three rounds in four say that a step is quicker", () => {
  const steps = [
    step("deposit", "rows", 0.8),
    step("deposit", "direct", 0.7, 0.75),
    step("update", "1 in a run", 0.9, 1.1), // in doubt
    step("update", "8 in a run", 0.98),
  ];
  expect(pinOf(steps)).toBe("deposit=direct");
  expect(pinOf([steps[0], step("update", "1 in a run", 0.9)])).toBe("deposit=rows; update=1 in a run");
  expect(pinOf(steps.slice(2))).toBe("");
  expect(shapesText({ steps, pin: "deposit=direct" })).toContain('GRAVMESH_SHAPES="deposit=direct"');
  expect(shapesText({ steps, pin: "" })).toContain("No shape takes less than 0.97");
});
