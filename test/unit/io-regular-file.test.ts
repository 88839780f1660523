/** Files that a user names: a pipe, a device, a folder or a file without end is refused in words, and nothing hangs. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRegularFile } from "../../src/run/io/regular-file.node.ts";
import { loadText } from "../../src/run/scenario-source.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gravmesh-read-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("a file that a user names", () => {
  const read = (file: string, limit = 1024) => readRegularFile(file, { what: "the list", limit });
  const at = (name: string, content?: string | Uint8Array) => {
    if (content !== undefined) writeFileSync(join(dir, name), content);
    return join(dir, name);
  };

  it("is read as UTF-8, through links, up to its limit and without a byte order mark", () => {
    const file = at("list", "\u{feff}Hénon\n");
    symlinkSync(file, at("link"));
    expect(read(at("link"))).toBe("Hénon\n");
    expect(read(at("full", "x".repeat(1024)))).toHaveLength(1024);
    expect(read(at("empty", ""))).toBe("");
  });

  it.runIf(process.platform === "linux")(
    "tells no size under /proc and is read all the same, or not when too large",
    () => {
      expect(read("/proc/self/status", 1e5)).toContain("Pid:");
      expect(() => read("/proc/self/status", 50)).toThrow("expected at most 50 B, found more");
    },
  );

  it("is refused by name, of the kind asked for, with what it is", () => {
    execFileSync("mkfifo", [at("pipe")]);
    mkdirSync(at("folder"));
    symlinkSync("loop", at("loop"));
    const refused: [string, string][] = [
      [at("pipe"), "it is a named pipe, not a regular file"],
      ["/dev/zero", "it is a device, not a regular file"],
      [at("folder"), "it is a folder, not a regular file"],
      [at("loop"), "its links lead round in a loop"],
      [at("missing"), "there is no such file"],
      [join(at("plain", "x"), "inner"), "part of the path is a file, not a folder"],
      [at("a\0b"), "the name holds a NUL character"],
      [join(dir, "n".repeat(5000)), "the name is too long"],
      [at("binary", Uint8Array.of(0x61, 0xff, 0xfe)), "it is not UTF-8 text"],
      [at("large", "x".repeat(1025)), "expected at most 1.0 KiB, found 1 B more"],
    ];
    for (const [file, reason] of refused) {
      expect(() => read(file), reason).toThrow(`cannot be read: ${reason}`);
      expect(() => read(file), reason).toThrow(/^the list /);
    }
    const asked = { what: "The deck", limit: 9, kind: "usage" } as const;
    expect(() => readRegularFile("/dev/zero", asked)).toThrow(expect.objectContaining({ kind: "usage" }));
    expect(() => read(at("n".repeat(5000)))).toThrow(/^.{0,500}$/);
    expect(() => read(at("a\u001b[31mb"))).toThrow(/a\ufffd\[31mb/);
  });

  it("may be the table of a power spectrum", async () => {
    await expect(loadText("/dev/zero")).rejects.toMatchObject({
      kind: "input",
      message: "cosmology.file: the table /dev/zero cannot be read: it is a device, not a regular file.",
    });
    expect(await loadText(at("pk.dat", "# k P\n"))).toBe("# k P\n");
  });
});
