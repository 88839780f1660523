/** How many steps go into a submission. */
import { describe, expect, it } from "vitest";
import { stepsOfASubmission } from "../../src/engine/pipeline/submissions.ts";

describe("steps of a submission", () => {
  it("take half a second, are 32 at most, and one while nothing is known", () => {
    for (const software of [true, false]) {
      expect(stepsOfASubmission(Number.POSITIVE_INFINITY, { software })).toBe(1);
      expect(stepsOfASubmission(0.1, { software })).toBe(32);
      expect(stepsOfASubmission(20, { software })).toBe(24);
      expect(stepsOfASubmission(300, { software })).toBe(1);
      // By the clock of a browser, which goes by milliseconds; "one step" is asked for with 0.
      expect(stepsOfASubmission(0, { software, longest: 0 })).toBe(1);
      expect(stepsOfASubmission(0, { software, longest: 14 })).toBe(32);
    }
  });

  it("are eighteen on a processor, which no system resets, while these take a second", () => {
    expect(stepsOfASubmission(40, { software: true })).toBe(18);
    expect(stepsOfASubmission(40, { software: false })).toBe(12);
    expect(stepsOfASubmission(53, { software: true })).toBe(18);
    expect(stepsOfASubmission(54, { software: true })).toBe(8);
  });

  it("take no longer than they are told to", () => {
    expect(stepsOfASubmission(40, { software: true, longest: 480 })).toBe(12);
    expect(stepsOfASubmission(40, { software: true, longest: 1 })).toBe(1);
  });
});
