/** Modules that rank 0 has loaded: the others load them before they end, or end the run with their message. */
import { expect, it } from "vitest";
import { endService, loadOnOthers } from "../../src/engine/ranked/rank-channel.ts";
import { serve } from "../../src/engine/ranked/service.ts";
import { ranksTogether } from "../support/ranks.ts";

const acquire = async () => {
  throw new Error("no adapter is asked for");
};

it("go to the other ranks with the next order, in their order", async () => {
  const [first, ...others] = ranksTogether(3);
  const loaded: (readonly string[])[] = [];
  const load = async (files: readonly string[]) => void loaded.push(files);
  const served = others.map((one) => serve(one, { acquire, load }));
  loadOnOthers(first, ["/of/me/a.mjs", "/of/me/b.mjs"]);
  expect(await endService(first)).toBe(true);
  await Promise.all(served);
  expect(loaded).toEqual([
    ["/of/me/a.mjs", "/of/me/b.mjs"],
    ["/of/me/a.mjs", "/of/me/b.mjs"],
  ]);
});

it("that a rank can't load end its service", async () => {
  const [first, other] = ranksTogether(2);
  const load = async () => {
    throw new Error("no such file here");
  };
  const served = serve(other, { acquire, load });
  const refused = expect(served).rejects.toThrow("no such file here");
  loadOnOthers(first, ["a.mjs"]);
  void endService(first); // the other doesn't hear the end
  await refused;
});
