/** P³M from the command line: like with like beside direct sums, tracers and an external potential with them; and resumed. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import type { Comparison } from "../../src/study/compare/record.ts";
import { partsOf } from "../../src/study/validate/record.ts";
import { gravmesh, start, useWorkFolder } from "../support/cli.ts";
import { itInFull } from "../support/full.ts";
import { LAUNCHERS } from "../support/launchers.ts";

const work = useWorkFolder();
const recordIn = (...path: string[]) => JSON.parse(readFileSync(join(work(), ...path), "utf8"));

const DECK = `title = "Sphere"
gravity = "p3m"
[box]
size = 10.0
[mesh]
cells = 24
[p3m]
softening = 0.05
softeningKernel = "spline"
[[particles]]
kind = "plummer"
name = "stars"
count = 1500
scale = 1.0
cutoff = 4.0
[[particles]]
kind = "plummer"
name = "tracers"
count = 300
mass = 0.0
scale = 0.5
cutoff = 4.0
[[potential]]
kind = "plummer"
mass = 0.5
scale = 1.0
[time]
step = 0.02
end = 1.0
[output]
snapshots = 2
`;
const deck = () => writeFileSync(join(work(), "deck.toml"), DECK);

async function bitsOf(folder: string) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".hdf5"));
  const snapshots = await Promise.all(names.sort().map((name) => readSnapshot(join(folder, name))));
  return snapshots.map(({ positions, velocities }) =>
    [positions, velocities].map(({ buffer }) => Buffer.from(buffer).toString("base64")),
  );
}

describe("gravmesh with P³M", () => {
  it("compares like with like: mesh, P³M and direct sums, of tracers and in an external potential, too", async () => {
    deck();
    const args = ["compare", "deck.toml", "time.end=0.1", "--gravity", "mesh,p3m,direct", "--out", "compared"];
    const { code, stderr } = await gravmesh(work(), args);
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/fail/)]);
    const { direct, cases }: Comparison = recordIn("compared", "compare.json");
    expect(direct).toMatchObject({ softening: 0.05, targets: 1800 });
    const [mesh, p3m, sums] = cases.map(({ result }) => result.direct);
    for (const when of ["start", "end"] as const) {
      expect(mesh[when]!.rms).toBeGreaterThan(0.01);
      expect(p3m[when]!.rms).toBeLessThan(3e-3);
      expect(sums[when]!.rms).toBeLessThan(1e-6);
    }
  });

  it("validates against sums with its own softening", async () => {
    deck();
    const args = ["validate", "deck.toml", "--targets", "400", "--no-evolve", "--out", "validated"];
    const { code, stdout } = await gravmesh(work(), args);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/P³M acceleration against[\s\S]*where P³M pulls too hard/),
    ]);
    expect(stdout).not.toMatch(/this mesh|the mesh pulls/);
    const { forces, forceLaw } = partsOf(recordIn("validated", "validate.json"));
    expect(forces!.plain!).toMatchObject({ softening: 0.05 });
    expect(forces!.plain!.relative.rms).toBeLessThan(3e-3);
    expect(forces!.fitted!.softening).toBeCloseTo(0.05, 2);
    for (const { largest } of forceLaw!.rows) expect(largest).toBeLessThan(0.8);
  });

  it("keeps the orbit of a binary 0.3 cells apart with adaptive steps and substeps", async () => {
    const speed = Math.sqrt(1 / 0.3) / 2;
    const body = (side: number) => `0.5,${12.37 + 0.15 * side},11.81,12.16,0,${speed * side},0`;
    writeFileSync(join(work(), "binary.csv"), `m,x,y,z,vx,vy,vz\n${body(1)}\n${body(-1)}\n`);
    writeFileSync(
      join(work(), "binary.toml"),
      `title = "Binary"
gravity = "p3m"
[box]
size = 24.0
[mesh]
cells = 24
[p3m]
softening = 0.03
softeningKernel = "spline"
substeps = 8
[[particles]]
kind = "snapshot"
file = "binary.csv"
[time]
step = "adaptive"
end = ${10 * Math.PI * 0.3 ** 1.5}
[output]
snapshots = 1
`,
    );
    expect(await gravmesh(work(), ["run", "binary.toml", "--backend", "cpu", "--out", "binary"])).toMatchObject({
      code: 0,
    });
    const { positions } = await readSnapshot(join(work(), "binary", "snapshot_001.hdf5"));
    expect(Math.hypot(...[0, 1, 2].map((axis) => positions[axis] - positions[3 + axis]))).toBeCloseTo(0.3, 4);
    const { steps, largestEnergyError, pairs } = recordIn("binary", "summary.json");
    expect(steps).toBeLessThan(150); // 640 without substeps
    expect(largestEnergyError).toBeLessThan(1e-4);
    expect(pairs.softeningCells).toBeCloseTo(0.03, 12);
  });

  it("has the bits of one process on four ranks, resumed on two, with pairs in equal parts", async () => {
    deck();
    const run = ["run", "deck.toml", "--quiet", "--out"];
    expect((await gravmesh(work(), [...run, "one", "time.end=0.2"])).code).toBe(0);
    const shared = [...run, "shared", "time.end=0.1", "output.snapshots=1", "output.filePerRank=false"];
    expect((await start(work(), shared, { through: LAUNCHERS["Open MPI"](4) }).done).code).toBe(0);
    const onward = ["run", "--resume", "shared", "time.end=0.2", "--quiet"];
    expect((await start(work(), onward, { through: LAUNCHERS.MPICH(2) }).done).code).toBe(0);
    expect(await bitsOf(join(work(), "shared"))).toEqual(await bitsOf(join(work(), "one")));
    const { counters, ranks } = recordIn("shared", "summary.json");
    expect(ranks).toBe(2);
    // Parts are of whole groups of 32 targets or more, of which there are some 60 here.
    expect(counters["pairs of the busiest rank"] / counters["pairs of particles"]).toBeLessThan(0.53);
  });

  // Its state is resumed in test/kernel/pairs.test.ts, files of runs in resume.test.ts.
  itInFull("is killed at some step, and resumed to the same bits", async () => {
    deck();
    const run = (out: string) => [...["run", "deck.toml", "output.checkpointMinutes=1e-3", "--json", "--out", out]];
    expect((await gravmesh(work(), run("whole"))).code).toBe(0);
    const stopped = start(work(), run("stopped"));
    await stopped.until('"event":"checkpoint"');
    stopped.child.kill("SIGKILL");
    await stopped.done;
    expect((await gravmesh(work(), ["run", "--resume", "stopped", "--quiet"])).code).toBe(0);
    expect(recordIn("stopped", "summary.json")).toMatchObject({ resumes: 1, steps: 50 });
    expect(await bitsOf(join(work(), "stopped"))).toEqual(await bitsOf(join(work(), "whole")));
  });
});
