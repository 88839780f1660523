/** What the messages of errors have in common. */
import { describe, expect, it } from "vitest";
import { requireResolved } from "../../src/engine/time/orbit.ts";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import { fileError, makeFolders } from "../../src/run/io/files.node.ts";

const messageOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it didn't throw");
};

describe("a message", () => {
  it.each([
    ["unknown key a: did you mean b?. Try it", "unknown key a: did you mean b? Try it"],
    ["it says no..", "it says no."],
    ['found "x".. Leave it', 'found "x". Leave it'],
    ["write 1 … 5, or ../x, or 0.5..2/4", "write 1 … 5, or ../x, or 0.5..2/4"],
    ["a file .. or C..\nb", "a file .. or C.\nb"],
  ])("ends its sentences once: %j", (given, told) => {
    expect(new GravmeshError("usage", given).message).toBe(told);
  });

  it.each([Number.NaN, 0, 1e-320])("proposes no step that can't be taken, of an orbit of %d", (orbit) => {
    const message = messageOf(() => requireResolved(0.1, orbit, "another"));
    expect(message).not.toMatch(/Try time\.step = (NaN|0\b|Infinity)/);
    expect(message).toMatch(/expected finite numbers|Try time\.step = 1e-322/);
  });

  it("has no name of an error of the system's", () => {
    for (const code of ["EEXIST", "ELOOP", "EISDIR", "ENAMETOOLONG", "EBUSY", "ENOTEMPTY", "EACCES"]) {
      const cause = Object.assign(new Error(`${code}: what it means, open '/a/b'`), { code, errno: -1000 });
      expect(fileError("write", "/a/b", cause).message).not.toContain(code);
    }
    expect(messageOf(() => makeFolders(import.meta.filename))).toMatch(
      /^Cannot make the folder .*errors\.test\.ts: something else of that name is there; choose another folder with --out\.$/,
    );
  });
});
