/** How far words are apart: each kind of edit, and a swap that needs a letter between. */
import { expect, it } from "vitest";
import { edits } from "../../src/foundation/base/nearest-word.ts";

it.each([
  ["", "", 0],
  ["run", "run", 0],
  ["", "run", 3],
  ["run", "", 3],
  ["rn", "run", 1],
  ["runn", "run", 1],
  ["rum", "run", 1],
  ["rnu", "run", 1],
  ["urn", "run", 1],
  ["kitten", "sitting", 3],
  ["abcdef", "badcfe", 3],
  ["ca", "abc", 3], // a letter of a swap isn't edited again
])("from %j to %j", (one, other, apart) => {
  expect(edits(one, other)).toBe(apart);
  expect(edits(other, one)).toBe(apart);
});

it("isn't counted where the lengths say that it is too far", () => {
  expect(edits("x".repeat(1e6), "run", 4e5)).toBe(Number.POSITIVE_INFINITY);
  expect(edits("runs", "run", 1)).toBe(1);
  expect(edits("run", "runs", 0)).toBe(Number.POSITIVE_INFINITY);
});
