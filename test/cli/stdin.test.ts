/** `-` for stdin and stdout: a deck, particles, what is refused, and what a result folder keeps of it. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin, environment, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();

const DECK = `title = "by pipe"
[box]
size = 20
[mesh]
cells = 16
[[particles]]
kind = "snapshot"
file = "nowhere"
[time]
end = 0.02
step = 0.01
`;
const PARTICLES = "x,y,z,vx,vy,vz,mass\n10,10,10,0,0,0,1\n12,10,10,0,0.7,0,1\n9,10,11,0,0,0,1\n";

const gravmesh = (args: string[], input: string | Buffer) =>
  spawnSync(process.execPath, [bin, ...args], { cwd: work(), env: environment(), encoding: "utf8", input });
const run = (args: string[], input: string | Buffer) =>
  gravmesh(["run", ...args, "--backend", "cpu", "--quiet"], input);
const file = (name: string) => readFileSync(join(work(), name), "utf8");

describe("-", () => {
  it("is a deck that comes by stdin, its files relative to the current folder", () => {
    const made = spawnSync("tee", ["particles.csv"], { cwd: work(), input: PARTICLES });
    expect(made.status).toBe(0);
    const { status, stderr } = run(["-", "particles.0.file=particles.csv"], DECK);
    expect(status, stderr).toBe(0);
    expect(existsSync(join(work(), "results/stdin/stdin.data"))).toBe(false);
  });

  it("is a file of particles, which the folder keeps so that its deck runs again", () => {
    spawnSync("tee", ["deck.toml"], { cwd: work(), input: DECK });
    expect(run(["deck.toml", "particles.0.file=-", "--out", "piped"], PARTICLES)).toMatchObject({ status: 0 });
    expect(file("piped/stdin.data")).toBe(PARTICLES);
    expect(run(["piped/scenario.toml", "--out", "again"], "")).toMatchObject({ status: 0 });
    expect(file("again/diagnostics.csv")).toBe(file("piped/diagnostics.csv"));
    expect(file("piped/diagnostics.csv")).toBe(file("results/stdin/diagnostics.csv"));
    expect(JSON.parse(file("piped/summary.json")).files).toContain("stdin.data");
    // Another run in its place leaves nothing of it.
    expect(run(["deck.toml", "particles.0.file=particles.csv", "--out", "piped", "--force"], "").status).toBe(0);
    expect(existsSync(join(work(), "piped/stdin.data"))).toBe(false);
  });

  it("is what convert reads and writes", () => {
    const npy = spawnSync(process.execPath, [bin, "convert", "-", "-", "--to", "npy"], {
      cwd: work(),
      input: PARTICLES,
    });
    expect(npy.status, npy.stderr.toString()).toBe(0);
    expect(npy.stdout.subarray(1, 6).toString()).toBe("NUMPY");
    const { stdout, stderr, status } = gravmesh(["convert", "-", "-", "--to", "csv"], npy.stdout);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const numbers = (text: string) =>
      text
        .split("\n")
        .filter((line) => /^\d/.test(line))
        .map((line) => line.split(","));
    expect(numbers(stdout).map((row) => row.slice(0, 3))).toEqual(numbers(PARTICLES).map((row) => row.slice(0, 3)));
    expect(gravmesh(["convert", "-", "-"], PARTICLES).stderr).toMatch(
      /^error: -: its ending says no format\. Name one with --to/,
    );
    expect(gravmesh(["convert", "-", "-", "--to", "csv", "--json"], PARTICLES)).toMatchObject({ status: 2 });
  });

  it("is refused twice, with nothing in it, and of a terminal", () => {
    const twice = run(["-", "particles.0.file=-"], DECK);
    expect(twice).toMatchObject({ status: 2 });
    expect(twice.stderr).toBe(
      "error: - stands for stdin, which only one file can come by, found a second one: name a file.\n",
    );
    expect(run(["deck.toml", "particles.0.file=-", "--out", "empty"], "").stderr).toMatch(
      /^error: - stands for stdin, and nothing came\. Pipe a file into it/,
    );
    const line = `${process.execPath} ${bin} run - --quiet`;
    const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], {
      cwd: work(),
      env: environment(),
      encoding: "utf8",
    });
    expect(stdout).toContain("expected a pipe or a file, found a terminal");
    expect(existsSync(join(work(), "empty"))).toBe(false);
  });
});
