/**
 * `mpirun gravmesh run` of direct sums with Open MPI and MPICH: files of a run equal those of one process, also after a kill
 * and a resume on another number of ranks; the library's sums on ranks.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSnapshot } from "../../src/run/io/snapshots.ts";
import { start, useWorkFolder } from "../support/cli.ts";
import { inFull } from "../support/full.ts";
import { LAUNCHERS, type Launcher } from "../support/launchers.ts";

const work = useWorkFolder();

const DECK = ["plummer-hermite", "output.snapshots=1", "output.diagnostics=2"];
/** As many as are worth an exchange on a software adapter. */
const ON_GPU = [...DECK, "time.step=0.015625", "time.end=0.03125", "direct.precision=single", "--backend", "webgpu"];
const ON_CPU = [...DECK, "particles.plummer.count=512", "direct.integrator=hermite-6", "--backend", "cpu"];
const SHORT = [...ON_CPU, "time.end=0.25"];

const run = (args: readonly string[], through?: string) =>
  start(work(), ["run", ...args], through === undefined ? {} : { through });

async function resultsOf(folder: string) {
  const at = join(work(), folder);
  const { positions, velocities } = await readSnapshot(join(at, "snapshot_001.hdf5"), {
    units: "nbody",
    comoving: false,
  });
  return { positions, velocities, rows: readFileSync(join(at, "diagnostics.csv"), "utf8") };
}

type Case = [string, Launcher, number, readonly string[]];
const ALL: readonly Case[] = (["Open MPI", "MPICH"] as const).flatMap((launcher) =>
  [2, 3, 4].flatMap((size): Case[] => [
    ["Hermite 4 on an adapter", launcher, size, ON_GPU],
    ["Hermite 6 on an adapter", launcher, size, [...ON_GPU, "direct.integrator=hermite-6"]],
    ["Hermite 6 in float64", launcher, size, SHORT],
  ]),
);

/** Results of one process by the deck's name, which every number of ranks is held against. */
const alone = new Map<string, ReturnType<typeof resultsOf>>();

function runAlone(name: string, deck: readonly string[]) {
  const results = async () => {
    expect((await run([...deck, "--out", name]).done).code).toBe(0);
    return resultsOf(name);
  };
  if (!alone.has(name)) alone.set(name, results());
  return alone.get(name)!;
}

// The bits are compared in test/physics/direct-ranks.test.ts and below, the messages of adapters' ranks in ranks.test.ts.
it.each(inFull(ALL, []))("%s has the bits of one process under %s on %i ranks", async (name, launcher, size, deck) => {
  const whole = await runAlone(name, deck);
  const folder = `${name} ${launcher}-${size}`;
  const { code, stderr } = await run([...deck, "--out", folder], LAUNCHERS[launcher](size)).done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("error") });
  expect(await resultsOf(folder)).toEqual(whole);
  const summary = JSON.parse(readFileSync(join(work(), folder, "summary.json"), "utf8"));
  expect(summary).toMatchObject({ status: "complete", ranks: size });
  const exchanges = summary.stages.find(({ stage }: { stage: string }) => stage === "forces of other ranks");
  expect(exchanges.milliseconds).toBeGreaterThan(0);
});

it("goes on from the checkpoint of a killed run on another number of ranks, to the bits of a whole one", async () => {
  const folder = join(work(), "killed");
  const running = run(
    [...SHORT, "output.checkpointMinutes=0.001", "--out", folder, "--json"],
    LAUNCHERS["Open MPI"](2),
  );
  await running.until('"event":"checkpoint"');
  // One of the two, the folder of which is this test's alone.
  const { stdout } = spawnSync("pgrep", ["-n", "-f", `gravmesh.js run .*--out ${folder}`], { encoding: "utf8" });
  process.kill(Number(stdout), "SIGKILL");
  expect((await running.done).code).not.toBe(0);
  const { code } = await run(["--resume", "killed"], LAUNCHERS.MPICH(3)).done;
  expect(code).toBe(0);
  expect(await resultsOf("killed")).toEqual(await runAlone("Hermite 6 in float64", SHORT));
  const { stages } = JSON.parse(readFileSync(join(folder, "summary.json"), "utf8"));
  expect(stages).toContainEqual(expect.objectContaining({ stage: "forces of other ranks" }));
});
