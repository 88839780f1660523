/** P³M from the command line: like with like beside direct sums, tracers and an external potential with them; and resumed. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSnapshot } from "../../src/run/io/snapshot.node.ts";
import type { Comparison } from "../../src/study/compare/record.ts";
import { partsOf } from "../../src/study/validate/record.ts";
import { gravmesh, start, useWorkFolder } from "../support/cli.ts";

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
    expect((await gravmesh(work(), args)).code).toBe(0);
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

  it.each([1, 2])("is stopped at some step, and resumed to the same bits: %d", async (seed) => {
    deck();
    const run = (out: string) => [
      ...["run", "deck.toml", `particles.0.seed=${seed}`, "output.checkpointMinutes=1e-3", "--json", "--out", out],
    ];
    expect((await gravmesh(work(), run(`whole-${seed}`))).code).toBe(0);
    const stopped = start(work(), run(`stopped-${seed}`));
    await stopped.until('"event":"checkpoint"');
    stopped.child.kill(seed === 1 ? "SIGINT" : "SIGKILL");
    await stopped.done;
    expect((await gravmesh(work(), ["run", "--resume", `stopped-${seed}`, "--quiet"])).code).toBe(0);
    const bitsOf = async (folder: string) => {
      const names = readdirSync(folder).filter((name) => name.endsWith(".hdf5"));
      const snapshots = await Promise.all(names.sort().map((name) => readSnapshot(join(folder, name))));
      return snapshots.map(({ positions, velocities }) =>
        [positions, velocities].map(({ buffer }) => Buffer.from(buffer).toString("base64")),
      );
    };
    expect(recordIn(`stopped-${seed}`, "summary.json")).toMatchObject({ resumes: 1, steps: 50 });
    expect(await bitsOf(join(work(), `stopped-${seed}`))).toEqual(await bitsOf(join(work(), `whole-${seed}`)));
  });
});
