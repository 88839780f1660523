/** The file of kernel choices: whatever it holds or is, a run goes on, and writes it anew. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileChoiceCache } from "../../src/gpu/choices.node.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gravmesh-choices-"));
  file = join(folder, "choices.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const written = () => JSON.parse(readFileSync(file, "utf8")) as unknown;

describe("the file of kernel choices", () => {
  it("remembers", () => {
    new FileChoiceCache(file).set("scan", "sequential");
    new FileChoiceCache(file).set("fft", "wide");
    expect(new FileChoiceCache(file).get("scan")).toBe("sequential");
    expect(written()).toEqual({ scan: "sequential", fft: "wide" });
  });

  it("keeps what others have written meanwhile, and their later word", () => {
    const [mine, theirs] = [new FileChoiceCache(file), new FileChoiceCache(file)];
    mine.set("scan", "sequential");
    theirs.set("deposit", "rows?");
    theirs.set("scan", "workgroup");
    mine.set("fft", "wide");
    expect(written()).toEqual({ scan: "workgroup", deposit: "rows?", fft: "wide" });
    expect(mine.get("deposit")).toBe("rows?");
  });

  it.each([
    "null",
    "5",
    '"x"',
    "true",
    "[]",
    '["a"]',
    "{",
    "",
    "\0\0\0",
    '{"scan": 5}',
    '{"scan": null}',
    '{"scan": {}}',
  ])("that holds %j is as good as none, and is written anew", (text) => {
    writeFileSync(file, text);
    const choices = new FileChoiceCache(file);
    expect(choices.get("scan")).toBeUndefined();
    expect(choices.get("constructor")).toBeUndefined();
    choices.set("scan", "sequential");
    expect(written()).toEqual({ scan: "sequential" });
  });

  it("keeps the choices beside a value that is none", () => {
    writeFileSync(file, '{"scan": 5, "fft": "wide", "__proto__": "x"}');
    const choices = new FileChoiceCache(file);
    expect(choices.get("fft")).toBe("wide");
    choices.set("scan", "sequential");
    expect(new FileChoiceCache(file).get("fft")).toBe("wide");
  });

  it.each([
    ["a pipe", () => spawnSync("mkfifo", [file])],
    ["a device", () => symlinkSync("/dev/zero", file)],
    ["a link to itself", () => symlinkSync(file, file)],
    ["too large", () => writeFileSync(file, `{"scan": "${"a".repeat(5 * 2 ** 20)}"}`)],
  ] as const)("that is %s is replaced", (_, make) => {
    make();
    const choices = new FileChoiceCache(file);
    expect(choices.get("scan")).toBeUndefined();
    choices.set("scan", "sequential");
    expect(written()).toEqual({ scan: "sequential" });
    expect(readdirSync(folder)).toEqual(["choices.json"]);
  });

  it("that is a folder stays, and nothing is left beside it", () => {
    mkdirSync(file);
    const choices = new FileChoiceCache(file);
    choices.set("scan", "sequential");
    expect(choices.get("scan")).toBe("sequential");
    expect(readdirSync(folder)).toEqual(["choices.json"]);
  });
});
