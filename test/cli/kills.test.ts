/** The command that kills runs at random, at one: `npm run test:kills` does hundreds. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root, useWorkFolder } from "../support/cli.ts";

useWorkFolder(); // builds

it("runs that are killed at random moments and resumed leave the folder of an undisturbed one", async () => {
  const command = join(root, ".tooling/kills.mjs");
  const child = spawn(process.execPath, [command, "--built", "--kills", "1", "--seed", "5", "--only", "cpu-direct"]);
  let told = "";
  const note = (chunk: Buffer) => {
    told += chunk;
  };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => note(chunk));
  const [code] = await once(child, "close");
  expect(code, told).toBe(0);
  expect(told).toMatch(/kills of \d runs in .*; \d folders equal, 0 different\./);
});
