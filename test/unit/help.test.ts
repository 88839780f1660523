/** `gravmesh help COMMAND` says what the command's --help says; a command line with nothing where something belongs is refused. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { invoke } from "../../src/doors/cli/invoke.ts";

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** What a command line writes to stdout and stderr, and its exit code. */
async function said(...args: string[]) {
  const heard = { out: "", err: "" };
  const take = (name: "out" | "err") => (text: string | Uint8Array) => {
    heard[name] += text;
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(take("out"));
  vi.spyOn(process.stderr, "write").mockImplementation(take("err"));
  await invoke(args);
  return { ...heard, code: process.exitCode };
}

describe("help", () => {
  it.each([["run"], ["bench"], ["bench", "stages"]])("of %s %s", async (...names) => {
    const asked = await said("help", ...names);
    expect(asked).toEqual(await said(...names, "--help"));
    expect(asked).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining(`Usage: gravmesh ${names.join(" ")}`),
    });
  });

  it("of nothing is that of the program", async () => {
    expect(await said("help")).toEqual(await said("--help"));
  });

  it.each([
    [["comparee"], "there is no command comparee. Did you mean compare?"],
    [["rnu"], "there is no command rnu. Did you mean run?"],
    [["bnech", "viwe"], "there is no command bnech viwe. Did you mean bench?"],
    [["bench", "viwe"], "there is no command bench viwe. Did you mean view?"],
    [["bench", "stage"], "there is no command bench stage. Did you mean stages?"],
    [["run", "x"], "there is no command run x."],
  ])("of %j is an error", async (names, message) => {
    expect(await said("help", ...names)).toEqual({ code: 2, out: "", err: `error: gravmesh help: ${message}\n` });
  });
});

describe("the width of a terminal", () => {
  const { isTTY, columns } = process.stdout;
  afterEach(() => Object.assign(process.stdout, { isTTY, columns }));

  it.each([[80], [100]])("of %i columns holds every help", async (width) => {
    Object.assign(process.stdout, { isTTY: true, columns: width });
    for (const names of [
      [],
      ["run"],
      ["compare"],
      ["convert"],
      ["ensemble"],
      ["movie"],
      ["view"],
      ["bench", "sapporo2"],
    ]) {
      const { out } = await said(...names, "--help");
      vi.restoreAllMocks();
      // Commander leaves usage lines as they are.
      const long = out.split("\n").filter((line) => line.length > width && !line.startsWith("Usage:"));
      expect(long).toEqual([]);
    }
  });

  it("breaks examples so that they can be pasted", async () => {
    Object.assign(process.stdout, { isTTY: true, columns: 72 });
    const { out } = await said("ensemble", "--help");
    expect(out).toContain(
      '  $ gravmesh ensemble disk --vary seed=1..64 --slurm --sbatch \\\n      "--time=1:00:00 --gpus=1"\n',
    );
  });
});

it("arguments come back without their control characters, and shortened", async () => {
  const { err } = await said("run", "x", "--backend", `\u001b[2J${"x".repeat(20_000)}`);
  expect(err).toContain("argument '\\u001b[2Jxxx");
  expect(err.length).toBeLessThan(1500);
});

describe("an empty text", () => {
  const commands = ["run", "compare", "validate", "ensemble", "movie", "convert", "view", "doctor"];

  it.each([
    ...commands.map((name) => [name, "x", "--out", ""]),
    ...["run --resume", "ensemble --collect", "run --extension", "view --port"].map((line) => [...line.split(" "), ""]),
    ["run", "plummer", "--out="],
    ["run", "plummer", "--out", "  "],
    ["movie", ""],
    ["convert", "a.hdf5", ""],
  ])("is refused: gravmesh %s %s %s %s", async (...args) => {
    const { code, err, out } = await said(...args.filter((arg) => arg !== undefined));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(
      /^error: (behind --\w+|--\w+|argument \d): expected a text, found an empty one\. Is a variable/,
    );
  });
});
