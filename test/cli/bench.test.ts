/** `gravmesh bench`: the table of docs/accuracy.md from the GPU pipeline, and the benchmark of the stages. */
import { describe, expect, it } from "vitest";
import { benchLevelCase, type LevelForceResult } from "../../src/study/bench/level-force.ts";
import { gravmesh, useWorkFolder } from "../support/cli.ts";
import { itInFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const work = useWorkFolder();

/** Mean radial error and rms scatter [%] at 2, 3, 4, 6, 8, 16 cells of a 64³ periodic mesh, computed independently. */
const TABLE: Record<string, string> = {
  "ngp discrete 2-point": "-1.68/63.12 -.57/36.08 .18/26.76 -.02/17.12 -.02/12.36 .06/6.52",
  "cic discrete 2-point": "-1.16/16.67 -.02/8.06 0/4.72 0/2.19 0/1.26 0/.34",
  "cic discrete 4-point": "8.30/15.72 .05/4.77 0/3.17 0/1.63 0/.97 0/.27",
  "cic exact 4-point": "4.44/12.67 .84/5.16 -.01/2.00 .02/.91 .01/.58 0/.26",
  "tsc discrete 2-point": "-7.50/10.03 -.03/6.49 0/4.07 0/1.98 0/1.15 0/.32",
  "tsc exact 4-point": "-2.90/7.32 1.48/2.67 0/1.03 0/.23 0/.12 0/.07",
  "cic exact spectral": "-.79/17.27 2.73/11.87 -3.19/13.31 -2.60/12.96 -2.03/11.88 -.45/3.68",
};

interface ForceOutput {
  adapter: string;
  results: {
    scheme: { assignment: string; green: string; gradient: string };
    rows: { separation: number; meanRadial: number; scatter: number }[];
  }[];
}

describe("bench force", () => {
  itInFull("reproduces the table on the GPU pipeline", async () => {
    const { code, stdout, stderr } = await gravmesh(work(), ["bench", "force", "--mesh", "64", "--json"]);
    expect(code, stderr).toBe(0);
    const { results, adapter } = JSON.parse(stdout) as ForceOutput;
    expect(adapter).not.toMatch(/float64/);
    expect(results.map(({ scheme }) => `${scheme.assignment} ${scheme.green} ${scheme.gradient}`)).toEqual(
      Object.keys(TABLE),
    );
    for (const { scheme, rows } of results) {
      const name = `${scheme.assignment} ${scheme.green} ${scheme.gradient}`;
      const expected = TABLE[name].split(" ").map((entry) => entry.split("/").map(Number));
      expect(rows.map(({ separation }) => separation)).toEqual([2, 3, 4, 6, 8, 16]);
      rows.forEach(({ separation, meanRadial, scatter }, i) => {
        const where = `${name} at ${separation} cells`;
        const [mean, rms] = expected[i];
        expect(Math.abs(meanRadial - mean), where).toBeLessThan(scheme.assignment === "ngp" ? 0.3 : 0.05);
        expect(Math.abs(scatter - rms), where).toBeLessThan(Math.max(0.02 * rms, 0.02));
      });
    }
  });

  itInFull("measures the same on the GPU as in float64", async () => {
    const [gpu, cpu] = await Promise.all(
      ["webgpu", "cpu"].map(async (backend) => {
        const args = ["bench", "force", "--mesh", "16", "--json", "--backend", backend];
        const { code, stdout, stderr } = await gravmesh(work(), args);
        expect(code, stderr).toBe(0);
        return JSON.parse(stdout) as ForceOutput;
      }),
    );
    expect(gpu.adapter).not.toBe(cpu.adapter);
    expect(gpu.results).toHaveLength(Object.keys(TABLE).length);
    gpu.results.forEach(({ scheme, rows }, i) => {
      expect(scheme).toEqual(cpu.results[i].scheme);
      expect(rows.length).toBeGreaterThan(1);
      rows.forEach(({ separation, meanRadial, scatter }, k) => {
        const where = `${scheme.assignment} ${scheme.green} ${scheme.gradient} at ${separation} cells`;
        expect(Math.abs(meanRadial - cpu.results[i].rows[k].meanRadial), where).toBeLessThan(0.01);
        expect(Math.abs(scatter - cpu.results[i].rows[k].scatter), where).toBeLessThan(0.01);
      });
    });
  });

  it("prints a table", async () => {
    const args = ["bench", "force", "--mesh", "16", "--boundary", "isolated", "--backend", "cpu"];
    const { code, stdout } = await gravmesh(work(), args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/16³ isolated mesh, on CPU, float64[\s\S]*scheme +2 +3\n[\s\S]*CIC, truncated, 2-point/);
  });
});

const rms = ({ meanRadial, scatter }: LevelForceResult["inCore"][0]) => Math.hypot(meanRadial, scatter);

describe("bench force --levels", () => {
  it("has the error of one mesh of the small cells in the core, and none in the blend above those on its two sides", async () => {
    const args = ["--mesh", "32", "--places", "2", "--one-mesh", "64", "--backend", "cpu"];
    const { code, stdout, stderr } = await gravmesh(work(), ["bench", "force", "--levels", ...args, "--json"]);
    expect(code, stderr).toBe(0);
    const { adapter, results, leftOut } = JSON.parse(stdout) as {
      adapter: string;
      results: LevelForceResult[];
      leftOut: string[];
    };
    expect(adapter).toBe("CPU, float64");
    expect(results.map(({ assignment, levels, perBox }) => `${assignment} ${levels} ${perBox}`)).toEqual([
      ...["cic 1 64", "cic 2 128", "tsc 1 64", "tsc 2 128"],
    ]);
    expect(leftOut).toHaveLength(4);
    expect(leftOut[0]).toMatch(/^CIC, one level of 64³, R = 4: .*leave a core, found 64/);
    for (const { inCore, oneMesh, atEdge, assignment } of results) {
      expect(inCore.map(({ separation }) => separation)).toEqual([2, 3, 4, 6, 8, 12]);
      // Beyond 6 cells the error of TSC is less than what levels add to it; at 2 that of their kernel is larger than the box's.
      const most = assignment === "cic" ? 8 : 6;
      for (const [i, row] of inCore.entries()) {
        const where = `${assignment} at ${row.separation} cells`;
        const ratio = rms(row) / rms(oneMesh.rows[i]);
        if (row.separation <= most) expect(ratio, where).toBeLessThan(assignment === "tsc" && i === 0 ? 1.25 : 1.1);
        const [core, blend, beyond] = [atEdge.core, atEdge.blend, atEdge.beyond].map((rows) => rms(rows[i]));
        expect(blend, where).toBeLessThan(Math.max(core, beyond));
      }
    }
  });

  it("measures the same on the GPU as in float64", async () => {
    const request = { cells: 32, boundary: "periodic", places: 1, mostCells: 32 } as const;
    const [found, expected] = await Promise.all(
      [gpu(), undefined].map(async (device) => {
        const result = await benchLevelCase(device, request, { assignment: "cic", refinement: 2, levels: 2 });
        const { inCore, oneMesh, atEdge } = result as LevelForceResult;
        const rows = [inCore, oneMesh.rows, ...Object.values(atEdge)].flat();
        return rows.flatMap((row) => [row.meanRadial, row.scatter]).filter(Number.isFinite);
      }),
    );
    expect(found.length).toBeGreaterThan(50);
    expect(found).toHaveLength(expected.length);
    for (const [i, percent] of found.entries())
      expect(Math.abs(percent - expected[i]), `figure ${i}`).toBeLessThan(0.01);
  });
});

describe("bench stages", () => {
  it("measures every stage, within the memory that a run may take", async () => {
    const args = ["bench", "stages", "--mesh", "16,32", "--steps", "2", "--repetitions", "1", "--json"];
    // Without a copy of the force as texels, which processors may have beside the 24 bytes a cell.
    const env = { GRAVMESH_SHAPES: "update=8 in a run" };
    const { code, stdout, stderr } = await gravmesh(work(), args, { env });
    expect(code, stderr).toBe(0);
    const results = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results.map(({ cells, particles }) => [cells, particles])).toEqual([
      [16, 16 ** 3],
      [32, 32 ** 3],
    ]);
    for (const {
      stages,
      memory,
      cells,
      particles,
      copyBandwidth,
      stepMs,
      floorMs,
      movedMs,
      particleUpdatesPerSecond,
      traffic,
    } of results) {
      // Two steps while the device has something to do, and two more, in one submission or in two.
      expect([0.5, 0.75, 1]).toContain(traffic.submissions);
      expect(traffic.waits).toBe(traffic.submissions);
      expect(traffic.bytesRead).toBeGreaterThan(0);
      expect(stages.map(({ stage }: { stage: string }) => stage)).toEqual([
        "order",
        "deposit",
        "poisson",
        "gradient",
        "update",
      ]);
      for (const { ms, bytes, fraction, moved, movedFraction } of stages) {
        expect(ms).toBeGreaterThan(0);
        expect(fraction).toBeCloseTo(bytes / (ms / 1000) / copyBandwidth, 9);
        expect(movedFraction).toBeCloseTo(moved / (ms / 1000) / copyBandwidth, 9);
      }
      expect(memory.particles / particles).toBeLessThanOrEqual(64);
      expect(memory.mesh / cells ** 3).toBeLessThanOrEqual(32);
      const least = stages.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0);
      expect(floorMs).toBeCloseTo((1000 * least) / copyBandwidth, 9);
      // As the kernels move it, of as many particles as cells: 64 + 12, 12 + 16, 44, 16, 52 + 20 bytes.
      expect(stages.map(({ moved }: { moved: number }) => moved / particles)).toEqual([76, 28, 44, 16, 72]);
      expect(movedMs).toBeCloseTo((1000 * 236 * particles) / copyBandwidth, 9);
      expect(particleUpdatesPerSecond).toBeCloseTo((1000 * particles) / stepMs, 3);
    }
  });

  it("has a row for what levels share, and one for each", async () => {
    const sizes = ["--mesh", "32", "--particles", "4096", "--steps", "2", "--repetitions", "1"];
    const args = ["bench", "stages", ...sizes, "--distribution", "plummer", "--levels", "1"];
    const { code, stdout, stderr } = await gravmesh(work(), args);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^32³ mesh, levels: 1, 4,096 particles, plummer/);
    // Both rows are there, whatever their times: the first has no bytes, and neither is zero.
    expect(stdout).toMatch(/\n +gradient .*\n +levels +(?!0 )[\d.]+ *\n +level plummer +(?!0 )[\d.]+ *\n +update /);
  });

  it("measures a step with every shape of every kernel, and prints a pin that runs take", async () => {
    const args = ["bench", "stages", "--mesh", "16", "--steps", "2", "--repetitions", "1", "--shapes"];
    const { code, stdout, stderr } = await gravmesh(work(), [...args, "--json"]);
    expect(code, stderr).toBe(0);
    const { shapes, pin } = JSON.parse(stdout);
    const stages = [...new Set(shapes.map(({ stage }: { stage: string }) => stage))];
    for (const stage of ["scan", "deposit", "gradient", "update"]) expect(stages).toContain(stage);
    for (const { stepMs, ratio } of shapes) expect(Math.min(stepMs, ratio)).toBeGreaterThan(0);
    const pinned = await gravmesh(work(), args.slice(0, -1), { env: { GRAVMESH_SHAPES: pin } });
    expect(pinned.code, pinned.stderr).toBe(0);
  });

  it("refuses what it can't measure", async () => {
    const size = await gravmesh(work(), ["bench", "stages", "--mesh", "33"]);
    expect(size).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--mesh 33: expected 2\^k or 3·2\^k.*32 and 48/),
    });
    const steps = await gravmesh(work(), ["bench", "stages", "--steps", "0"]);
    expect(steps).toMatchObject({ code: 2, stderr: expect.stringMatching(/expected a whole number from 1 up/) });
  });
});

describe("bench direct", () => {
  it("refuses what it can't measure", async () => {
    const { code, stderr } = await gravmesh(work(), ["bench", "direct", "--targets", "0"]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--targets.*from 1 up/s) });
  });

  itInFull("shows every shape of the direct sum, and what few targets cost", async () => {
    const sizes = ["--targets", "64", "--sources", "300"];
    const { code, stdout, stderr } = await gravmesh(work(), ["bench", "direct", ...sizes, "--json"]);
    expect(code, stderr).toBe(0);
    const { shapes, few } = JSON.parse(stdout) as {
      shapes: { order: string; precision: string; shape: string; interactionsPerSecond: number }[];
      few: object[];
    };
    const names = new Set(shapes.filter(({ order }) => order === "acceleration").map(({ shape }) => shape));
    for (const name of ["plain", "targets-4", "targets-4-sources-4"]) expect(names).toContain(name);
    expect(new Set(shapes.map(({ precision }) => precision))).toEqual(new Set(["single", "double-single"]));
    expect(shapes.every(({ interactionsPerSecond }) => interactionsPerSecond > 0)).toBe(true);
    expect(few.length).toBeGreaterThan(0);
  });
});
