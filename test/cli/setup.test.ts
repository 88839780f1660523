/** `npm start` and `npm test` on a machine without an adapter, where nothing may be installed. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const WITHOUT = { VK_DRIVER_FILES: "/nonexistent", VK_ICD_FILENAMES: "/nonexistent", GRAVMESH_NO_SETUP: "1" };
const COMMAND = /No WebGPU adapter was found\. To install a software Vulkan driver:\n {2}\S.*(install|update)/;

function tooling(script: string, ...args: string[]) {
  const env = { ...process.env, ...WITHOUT, NO_COLOR: "1" };
  return spawnSync(process.execPath, [join(root, ".tooling", script), ...args], { cwd: work(), env, encoding: "utf8" });
}

describe("without an adapter", () => {
  it("npm start prints the command and goes on in float64 on the CPU", () => {
    const small = ["mesh.cells=16", "particles.disk.count=2000", "time.end=0.01", "output.snapshots=1"];
    const { stdout, status } = tooling("start.mjs", ...small, "--out", join(work(), "started"));
    expect(stdout).toMatch(COMMAND);
    expect(stdout).toMatch(
      /Going on without it, in float64 on the CPU[\s\S]*on CPU, float64[\s\S]*report +\/.*report\.html\n$/,
    );
    expect(status).toBe(0);
    expect(existsSync(join(work(), "started/report.html"))).toBe(true);
  });

  it("npm test stops with the command", () => {
    const { stdout, stderr, status } = tooling("test.mjs");
    expect(stderr).toMatch(COMMAND);
    expect(stderr).toMatch(/The tests need an adapter\./);
    expect(stdout).toMatch(/^0 passed, 1 failed\n$/);
    expect(status).toBe(1);
    expect(readdirSync(work())).not.toContain("results");
  });
});
