/** What stands in for Node's built-ins where the page reads snapshots. */
import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as paths from "../../src/doors/site/worker/files/path.ts";
import { Sha256 } from "../../src/doors/site/worker/files/sha256.ts";

describe("SHA-256 in pieces", () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * i) % 251);

  it.each([0, 1, 55, 56, 63, 64, 65, 127, 128, 1000])("of %i bytes is Node's", (length) => {
    const given = bytes.subarray(0, length);
    expect(new Sha256().update(given).digest()).toBe(createHash("sha256").update(given).digest("hex"));
  });

  it("doesn't depend on the pieces", () => {
    const whole = createHash("sha256").update(bytes).digest("hex");
    for (const piece of [1, 7, 63, 64, 65, 300]) {
      const sum = new Sha256();
      for (let at = 0; at < bytes.length; at += piece) sum.update(bytes.subarray(at, at + piece));
      expect(sum.digest()).toBe(whole);
    }
  });
});

it("takes paths apart as Node does", () => {
  for (const path of ["a.hdf5", "x/a.hdf5", "x/y/a"]) {
    expect(paths.basename(path)).toBe(basename(path));
    expect(paths.basename(path, ".hdf5")).toBe(basename(path, ".hdf5"));
    expect(paths.dirname(path)).toBe(dirname(path));
  }
  expect(paths.join("x", "a")).toBe(join("x", "a"));
});
