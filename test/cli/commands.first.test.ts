/** Every command once, on the smallest that it takes: it ends with 0 and leaves its files. What they hold, other tests say. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Peer } from "../support/amuse.ts";
import { gravmesh, start, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const DECK = [
  ...["plummer", "mesh.cells=16", "mesh.softenedModels=true", "particles.0.count=300", "particles.0.cutoff=3"],
  ...["time.end=0.1", "output.snapshots=2", "output.diagnostics=2", "--quiet"],
];
const CPU = ["--backend", "cpu"];

/** A command line, and what it leaves. */
const CALLS: [string[], string[]][] = [
  [
    ["run", ...DECK, "--out", "run"],
    ["run/snapshot_002.hdf5", "run/summary.json", "run/report.html"],
  ],
  [
    ["run", "--resume", "run", "time.end=0.2", "--quiet"],
    ["run/scenario.toml", "run/diagnostics.csv"],
  ],
  [["run", ...DECK, ...CPU, "--dry-run"], []],
  [["movie", "run", "--format", "apng", "--pixels", "64", "--quiet"], ["run/movie.png"]],
  [["convert", "run/snapshot_002.hdf5", "particles.csv"], ["particles.csv"]],
  [["compare", ...DECK, "--poisson", "fft,multigrid", "--out", "compare"], ["compare/compare.html"]],
  [["validate", ...DECK, ...CPU, "--budget", "1000", "--out", "validate"], ["validate/validate.html"]],
  [["ensemble", ...DECK, ...CPU, "--vary", "seed=1..2", "--out", "ensemble"], ["ensemble/ensemble.html"]],
  [
    ["doctor", "--report", "--seconds", "1", "--out", "doctor"],
    ["doctor/doctor.html", "doctor/doctor.json"],
  ],
  [["bench", "stages", "--mesh", "16", "--steps", "2", "--repetitions", "1"], []],
  [["bench", "force", "--mesh", "16", ...CPU], []],
  [["bench", "direct", "--targets", "64", "--sources", "64"], []],
  [["bench", "aubert2009", "--help"], []],
];

it.each(CALLS)("gravmesh %j", async (args, files) => {
  const { code, stderr } = await gravmesh(work(), args);
  expect(code, stderr).toBe(0);
  expect(files.filter((file) => !existsSync(join(work(), file)))).toEqual([]);
});

it("gravmesh view serves the page, until Ctrl-C", async () => {
  const program = start(work(), ["view", "run", "--json"]);
  await program.until('"address"');
  const { address } = JSON.parse(program.heard().split("\n")[0]);
  expect(await (await fetch(new URL(address).origin)).text()).toContain("<!doctype html>");
  program.child.kill("SIGINT");
  expect(await program.done).toMatchObject({ code: 0, stderr: "" });
});

it("gravmesh amuse-worker answers its peer, and ends at stop", async () => {
  let program!: ReturnType<typeof start>;
  const peer = await Peer.listen((port) => {
    program = start(work(), ["amuse-worker", String(port), "127.0.0.1", "false"]);
  });
  expect((await peer.call("initialize_code")).ints).toEqual([0]);
  await peer.call(0);
  expect(await program.done).toMatchObject({ code: 0, stderr: "" });
});
