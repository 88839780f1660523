/** The point-mass force table of docs/accuracy.md with the float64 stages. */
import { describe, expect, it } from "vitest";
import type { Assignment, GradientScheme, GreenFunction, PipelineSettings } from "../../src/engine/mesh/settings.ts";
import {
  FORCE_ERROR_SEPARATIONS,
  fibonacciSphere,
  forceErrorsByPart,
  pipelineForces,
  subCellOffsets,
} from "../../src/study/validate/law.ts";
import { inFull } from "../support/full.ts";
import { meshSettings, referencePointMass } from "../support/point-mass.ts";

/** Mean radial error and scatter [%] at 2, 3, 4, 6, 8, 16 cells, computed independently. */
const TABLE: [Assignment, GreenFunction, GradientScheme, [number, number][]][] = [
  ["ngp", "discrete", "2-point", pairs("-1.68/63.12 -.57/36.08 .18/26.76 -.02/17.12 -.02/12.36 .06/6.52")],
  ["cic", "discrete", "2-point", pairs("-1.16/16.67 -.02/8.06 0/4.72 0/2.19 0/1.26 0/.34")],
  ["cic", "exact", "4-point", pairs("4.44/12.67 .84/5.16 -.01/2.00 .02/.91 .01/.58 0/.26")],
  ["tsc", "exact", "4-point", pairs("-2.90/7.32 1.48/2.67 0/1.03 0/.23 0/.12 0/.07")],
];

function pairs(row: string): [number, number][] {
  return row.split(" ").map((entry) => entry.split("/").map(Number) as [number, number]);
}

describe("point mass on a 64³ periodic mesh against Ewald", () => {
  it.each(inFull(TABLE, [TABLE[0], TABLE[3]]))("%s, %s, %s", async (assignment, green, gradient, expected) => {
    const mesh = meshSettings({ cells: 64, assignment, green, gradient });
    const [rows] = await forceErrorsByPart(referencePointMass(mesh, "periodic"), { cells: 64, boundary: "periodic" });
    rows.forEach(({ separation, meanRadial, scatter }, i) => {
      const [mean, rms] = expected[i];
      expect(separation).toBe(FORCE_ERROR_SEPARATIONS[i]);
      expect(Math.abs(meanRadial - mean)).toBeLessThan(assignment === "ngp" ? 0.3 : 0.05);
      expect(Math.abs(scatter - rms)).toBeLessThan(Math.max(0.02 * rms, 0.02));
    });
  });
});

describe("point mass on an isolated mesh against −1/r²", () => {
  it.each(["truncated", "cell-integrated"] as const)("%s kernel: the error falls with the distance", async (kernel) => {
    const mesh = meshSettings({ cells: 32, assignment: "tsc", kernel, gradient: "4-point" });
    const [rows] = await forceErrorsByPart(referencePointMass(mesh, "isolated"), {
      cells: 32,
      boundary: "isolated",
      separations: [2, 3, 4, 6, 8],
    });
    const limits = [9, 3, 1.1, 0.25, 0.13];
    rows.forEach(({ meanRadial, scatter }, i) => {
      expect(scatter).toBeLessThan(limits[i]);
      expect(Math.abs(meanRadial)).toBeLessThan(limits[i]);
    });
  });
});

describe("point mass through a whole pipeline", () => {
  it("is the one of the stages", async () => {
    const mesh = meshSettings({ cells: 16 });
    const run: PipelineSettings = { mesh, boundary: "periodic", boxSize: 1, G: 1, externalPotentials: [] };
    const at = { cells: 16, boundary: "periodic", separations: [2, 4], sources: subCellOffsets(16, 2) } as const;
    const { forces } = pipelineForces(run);
    const [found] = await forceErrorsByPart(forces, at);
    const [expected] = await forceErrorsByPart(referencePointMass(mesh, "periodic"), at);
    found.forEach(({ meanRadial, scatter }, i) => {
      expect(meanRadial).toBeCloseTo(expected[i].meanRadial, 4);
      expect(scatter).toBeCloseTo(expected[i].scatter, 4);
    });
  });
});

describe("the sample", () => {
  it("spreads directions evenly over the sphere", () => {
    const directions = fibonacciSphere(200);
    const sums = [0, 0, 0, 0, 0, 0];
    for (let j = 0; j < directions.length; j += 3) {
      const [x, y, z] = directions.subarray(j, j + 3);
      [x, y, z, x * x, y * y, z * z].forEach((value, k) => {
        sums[k] += value / 200;
      });
    }
    for (const mean of sums.slice(0, 3)) expect(Math.abs(mean)).toBeLessThan(5e-3);
    for (const square of sums.slice(3)) expect(square).toBeCloseTo(1 / 3, 2);
  });
});
