/** Which shape is the fastest, by times made up: what few disturbed rounds, slow phases and the clock's grain change, and when there is doubt. */
import { describe, expect, it } from "vitest";
import { leaderOf, surelySlower, verdictOf } from "../../src/gpu/verdict.ts";

const runner = (name: string, ...found: number[]) => ({ name, found });

describe("the verdict on times in rounds", () => {
  it("is clear where every round says the same, whatever the machine's speed in it", () => {
    const speed = [1, 1.7, 1.1, 2.4, 0.9, 1];
    const rows = runner("rows", ...speed.map((slow) => 15 * slow));
    const runs = runner("runs", ...speed.map((slow) => 17 * slow));
    // The least time of each would have the runs ahead, the slowest phase of the other doubtful.
    expect(verdictOf([runs, rows], "runs")).toEqual({ winner: "rows", clear: true });
    expect(verdictOf([rows, runs], "none of them")).toEqual({ winner: "rows", clear: true });
  });

  it("isn't moved by rounds in which other programs had the processor", () => {
    const texels = runner("texels", 10, 19, 10, 10, 20, 10, 10, 18, 10, 10, 10);
    const kept = runner("kept", 13, 13, 13, 26, 13, 13, 13, 13, 13, 13, 13);
    expect(verdictOf([texels, kept], "texels")).toEqual({ winner: "texels", clear: false });
    expect(verdictOf([texels, kept], "kept").winner).toBe("kept"); // eight rounds of eleven aren't three in four
    const calm = runner("kept", 13, 26, 13, 26, 13, 13, 13, 13, 13, 13, 13);
    expect(verdictOf([texels, calm], "kept")).toEqual({ winner: "texels", clear: true });
  });

  it("gives a draw to the usual shape, and knows that it is one", () => {
    const one = runner("one", 40, 41, 40, 40, 40.5, 40);
    const many = runner("many", 40.4, 41.3, 40.5, 40.6, 40.7, 40.5);
    expect(verdictOf([one, many], "many")).toEqual({ winner: "many", clear: true });
    expect(verdictOf([one, many], "one")).toEqual({ winner: "one", clear: true });
  });

  it("takes the usual shape where the rounds contradict each other, and doubts", () => {
    const one = runner("one", 10, 14, 9, 16, 10, 12, 10);
    const many = runner("many", 12, 11, 13, 11, 11, 11, 12);
    expect(verdictOf([one, many], "many")).toEqual({ winner: "many", clear: false });
    expect(verdictOf([one, many], "one")).toEqual({ winner: "one", clear: false });
  });

  it("asks for a large difference of few rounds", () => {
    expect(verdictOf([runner("one", 10), runner("many", 24)], "many").clear).toBe(false);
    expect(verdictOf([runner("one", 10), runner("many", 26)], "many")).toEqual({ winner: "one", clear: true });
    expect(verdictOf([runner("one", 10, 10), runner("many", 16, 18)], "one").clear).toBe(false);
    expect(verdictOf([runner("one", 10, 10), runner("many", 18, 18)], "one").clear).toBe(true);
  });

  it("is by the median of each round's ratio to its least, not by the least time of all", () => {
    const lucky = runner("lucky", 5, 12, 12, 12, 12);
    const steady = runner("steady", 10, 10, 10, 10, 10);
    expect(leaderOf([lucky, steady]).name).toBe("steady");
    expect(surelySlower(lucky, steady)).toBe(false);
    expect(surelySlower(runner("slow", 11, 12, 12, 12, 12), steady)).toBe(true);
  });

  it("leaves out who was dropped, and what the clock can't tell", () => {
    const dropped = runner("dropped", 1);
    expect(verdictOf([dropped, runner("a", 10, 10), runner("b", 18, 18)], "b").winner).toBe("a");
    const nothing = ["a", "b"].map((name) => runner(name, 0, 0, 0, 0, 0));
    expect(verdictOf(nothing, "b")).toEqual({ winner: "b", clear: true });
    const [a, b] = [runner("a", 0, 0.001, 0, 0.001, 0), runner("b", 0.001, 0, 0.001, 0, 0.001)];
    expect(verdictOf([a, b], "b", 0.1)).toEqual({ winner: "b", clear: true });
  });
});
