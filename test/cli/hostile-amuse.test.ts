/** A selection of the tries on the AMUSE worker (`npm run test:hostile` makes them all). */
import { describe, expect, it } from "vitest";
import { amuseTries } from "../hostile/amuse.ts";

/** All that share a worker, and of the slower ones that have one each these. */
const OWN = ["a text of 2e9 bytes", "half a message", "3e8 calls in a header"];
const lasting = amuseTries.slice(
  0,
  amuseTries.findIndex(({ name }) => name === "a web page's request"),
);

describe("the AMUSE worker", () => {
  it("has a name for every try", () => {
    expect(new Set(amuseTries.map(({ name }) => name)).size).toBe(amuseTries.length);
  });

  it("answers calls that can't be with an error or a code, and goes on", async () => {
    const faults: string[] = [];
    for (const { name, run } of lasting) {
      const fault = await run();
      if (fault !== undefined) faults.push(`${name}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  it.each(OWN)("ends with a line of why, or bounds what it takes: %s", async (wanted) => {
    expect(await amuseTries.find(({ name }) => name === wanted)!.run()).toBeUndefined();
  });
});
