/** How few files know a mass assignment by its name, and what every scheme's weights have in common. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { assignmentNames, assignments, cellsBeside, offsetOrigin } from "../../src/physics/particles/assignments.ts";

const src = fileURLToPath(new URL("../../src", import.meta.url));
/** A value, a key, or a kernel of TSC's: what another scheme would want beside it. */
const NAMED = /"tsc"|\btsc:|-tsc\.wgsl"/;
/** Files that a mass assignment more may touch (docs/architecture.md). */
const MOST = 10;

it("is named in few files, which a scheme more would touch", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const named = files.filter((file) => NAMED.test(readFileSync(join(src, file), "utf8")));
  const message = `${named.length} files name "tsc", at most ${MOST} may: ask the record in physics/particles/assignments.ts\n`;
  expect(named.length, message + named.join("\n")).toBeLessThanOrEqual(MOST);
});

it.each(assignmentNames)("%s: the weights of a particle sum up to its mass, about its own place", (name) => {
  const { order, setWeights } = assignments[name];
  const { below, above } = cellsBeside(name);
  expect(below + 1 + above).toBe(order);
  for (const offset of [0, 0.3, 0.75]) {
    const weights = new Float64Array(order + 1);
    setWeights(weights, 1, offset);
    expect(weights[0]).toBe(0);
    expect(weights.reduce((sum, w) => sum + w)).toBeCloseTo(1, 14);
    // Cell centres from the base cell's; NGP alone moves a particle to the next of them.
    const place = offset + offsetOrigin(name) - 0.5;
    const centre = weights.slice(1).reduce((sum, w, i) => sum + w * (i - below), 0);
    if (order > 1) expect(centre).toBeCloseTo(place, 14);
  }
});
