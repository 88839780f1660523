/** Which shape of the update is taken for the likely winner: by crowding, assignment and what the copy into texels costs. */
import { describe, expect, it } from "vitest";
import { leapfrogShapes, shapeName, usualShapes } from "../../src/time/leapfrog-shapes.ts";

type Texels = "copied" | "written" | "none";

const usual = (assignment: "ngp" | "cic" | "tsc", crowd: number, perCell = 1, texels: Texels = "written") =>
  usualShapes({ assignment, crowd, perCell, texels }).software;

describe("the usual shape of the update on processors", () => {
  it("reads texels where few particles share a cell, and keeps values where they crowd", () => {
    expect(usual("cic", 1)).toBe("8 in a run, texels");
    expect(usual("cic", 4)).toBe("32 in a run, kept");
    expect(usual("tsc", 1)).toBe("8 in a run, texels");
    expect(usual("tsc", 4)).toBe("32 in a run, kept, texels");
  });

  it("copies no force that few particles read", () => {
    expect(usual("cic", 1, 0.1)).toBe("8 in a run");
    expect(usual("cic", 4, 8)).toBe("32 in a run, kept, texels");
    expect(usual("tsc", 4, 0.1)).toBe("32 in a run, kept");
  });

  it("reads texels of crowded cells as well where the driver copies them", () => {
    expect(usual("cic", 4, 1, "copied")).toBe("32 in a run, kept, texels");
    expect(usual("cic", 1, 0.3, "copied")).toBe("8 in a run, texels");
    expect(usual("cic", 1, 0.3)).toBe("8 in a run");
  });

  it("does without texels where there are none to read", () => {
    expect(usual("ngp", 0)).toBe("8 in a run");
    expect(usual("ngp", 6)).toBe("32 in a run, kept");
    expect(usual("cic", 1, 1, "none")).toBe("8 in a run");
    expect(usual("tsc", 4, 1, "none")).toBe("32 in a run, kept");
  });

  it("is one of those that are offered", () => {
    for (const texels of ["none", "written", "copied"] as const) {
      const names = leapfrogShapes(texels !== "none").map(shapeName);
      for (const assignment of ["ngp", "cic", "tsc"] as const) {
        for (const crowd of [0, 2, 4, 9]) {
          const { software, hardware } = usualShapes({ assignment, crowd, perCell: 1, texels });
          expect(names).toContain(software);
          expect(names).toContain(hardware);
        }
      }
    }
  });
});
