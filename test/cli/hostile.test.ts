/** The quicker ones of the attacks that `npm run test:hostile` makes on the server and on the studio's links. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/cli.ts";

it("the server and the reader of links stand what is tried on them", () => {
  const args = ["--kind", "server,links", "--quick"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, ".tooling/hostile.mjs"), ...args], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout, stderr).toMatch(/^\d{3} tries, 0 at fault/);
  expect(status).toBe(0);
});
