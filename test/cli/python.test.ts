/** The Python package: its own tests (test/python), and its installation from the folder as pip does it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { functionId, functionOf } from "../../src/doors/amuse/functions.ts";
import { Peer } from "../support/amuse.ts";
import { bin, root, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();

const python = (args: string[], path: string) =>
  spawnSync("/usr/bin/python3", ["-B", ...args], {
    cwd: work(),
    encoding: "utf8",
    env: { ...process.env, GRAVMESH: bin, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" },
  });

it("passes its own tests", () => {
  const { status, stderr } = python(
    ["-m", "unittest", "discover", "-s", join(root, "test/python")],
    join(root, "src/doors/python"),
  );
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/^Ran [1-9]\d+ tests in .*\n\nOK$/m);
});

it("declares to AMUSE what the worker has", () => {
  const code = "import json, test_amuse; print(json.dumps(test_amuse.declared()))";
  const { stdout, stderr } = python(
    ["-c", code],
    ["test/python", "src/doors/python"].map((folder) => join(root, folder)).join(":"),
  );
  const declared: Record<string, { takes: string; gives: string }> = JSON.parse(stdout || stderr);
  expect(Object.keys(declared)).toContain("draw_particles");
  for (const [name, types] of Object.entries(declared)) expect(functionOf(functionId(name)), name).toMatchObject(types);
});

it("has a worker that answers AMUSE", async () => {
  let child!: ChildProcess;
  const peer = await Peer.listen((port) => {
    const worker = join(root, "src/doors/python/gravmesh/amuse_worker.py");
    child = spawn("/usr/bin/python3", ["-B", worker, String(port), "127.0.0.1", "false"], {
      env: { ...process.env, GRAVMESH: bin },
    });
  });
  const ended = once(child, "close");
  expect((await peer.call("initialize_code")).ints).toEqual([0]);
  expect((await peer.call("get_parameter", { strings: ["gravity"] })).strings).toEqual(["direct"]);
  await peer.call(0);
  expect(await ended).toEqual([0, null]);
});

it("makes a wheel that is whole and knows its npm package", () => {
  const source = join(root, "src/doors/python");
  const built = python(["-c", `import build_wheel; print(build_wheel.build_wheel("."))`], source);
  expect(built.status, built.stderr).toBe(0);
  const wheel = built.stdout.trim();
  expect(wheel).toMatch(/^gravmesh-\d+\.\d+\.\d+-py3-none-any\.whl$/);
  const unpacked = join(work(), "site");
  expect(python(["-m", "zipfile", "-e", wheel, unpacked], "").status).toBe(0);
  const told = python(
    ["-c", "import gravmesh, gravmesh.command as c; print(gravmesh.__file__, c.npm_package(), gravmesh.__version__)"],
    unpacked,
  );
  expect(told.stdout.trim(), told.stderr).toBe(`${join(unpacked, "gravmesh/__init__.py")} ${resolve(root)} 0.1.0`);
});
