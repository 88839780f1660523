/** A sample of the malformed inputs that `npm run test:malformed` makes: each is refused in one message, or runs. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/cli.ts";

it("malformed decks, overrides, flags and files end in one message, and damaged particles aren't taken for others", () => {
  // A busy machine is no fault; a hang is one at any limit.
  const args = ["--cases", "18", "--seed", "5", "--limit", "60"];
  const { status, stdout } = spawnSync(process.execPath, [join(root, ".tooling/malformed.mjs"), ...args], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout).toMatch(/^all( +\d+)+ +0$/m);
  for (const kind of [
    "tipsy",
    "nemo",
    "csv",
    "npy",
    "npz",
    "gadget-1",
    "gadget-2",
    "HDF5 in parts",
    "gravmesh's",
    "P³M",
  ])
    expect(stdout).toMatch(new RegExp(`^${kind} .*[1-9].* 0$`, "m"));
  expect(stdout).toMatch(/^\d+ malformed inputs, seed 5/m);
  expect(status).toBe(0);
});
