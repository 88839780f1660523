/** What the live page says of states and faults, whether it can be read, and what its pictures leave out to begin with. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { leftOutFirst } from "../../src/doors/site/decks.ts";
import type { PaneState } from "../../src/doors/site/stage.ts";
import { statusText } from "../../src/doors/site/words.ts";
import { problemIn } from "../../src/doors/site/worker/problem.ts";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import { DeviceLost, KernelRefused } from "../../src/foundation/gpu/faults.ts";
import type { Species } from "../../src/physics/particles/state.ts";
import { quantityRgb } from "../../src/studio/view/tone.ts";

describe("the state in words", () => {
  it.each([
    ["running", false, "reconnecting"],
    ["shown", false, "reconnecting"],
    ["done", false, "finished"],
    ["failed", false, "stopped by a problem"],
    ["done", true, "finished"],
  ] as const)("%s, connected %s: %s", (status, connected, text) => {
    expect(statusText({ status, connected } as PaneState)).toBe(text);
  });
});

describe("what is said over a picture", () => {
  const css = readFileSync(new URL("../../src/doors/site/studio.css", import.meta.url), "utf8");
  const colourOf = (selector: string, key: string) =>
    new RegExp(`\\n${selector} \\{[^}]*?\\b${key}: (#[0-9a-f]+)`).exec(css)?.[1] ?? "none";
  const parts = (hex: string) => (hex.slice(1).match(/../g) ?? []).map((two) => Number.parseInt(two, 16) / 255);
  /** WCAG 2, of sRGB [0…1]. */
  const luminance = (rgb: number[]) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => {
      const c = rgb[k];
      return sum + weight * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    }, 0);

  it("stands out from the brightest colour that densities have", () => {
    const [r, g, b, alpha = 0] = parts(colourOf("\\.veil", "background"));
    const brightest = quantityRgb("density", 1).map((part) => part / 255);
    const behind = luminance([r, g, b].map((part, k) => alpha * part + (1 - alpha) * brightest[k]));
    const text = luminance(parts(colourOf("\\.veil-text", "color")));
    expect((text + 0.05) / (behind + 0.05)).toBeGreaterThan(4.5);
  });
});

describe("a fault of the device", () => {
  const within = (cause: Error) => new GravmeshError("device", `step: ${cause.message}`, { cause });

  it("is told by what it comes from, however deep", () => {
    expect(problemIn(within(within(new DeviceLost("the GPU device was lost: x")))).kind).toBe("lost");
    expect(problemIn(within(new KernelRefused("kernel a does not compile")))).toMatchObject({
      ...{ kind: "kernel", message: "step: kernel a does not compile" },
      advice: [expect.stringContaining("another browser"), expect.stringContaining("gravmesh run")],
    });
    expect(problemIn(new GravmeshError("device", "uncaptured GPU error: y")).kind).toBe("device");
  });
});

describe("what pictures leave out to begin with", () => {
  const of = (...species: Species[]) => species.map((one, i) => ({ name: `${one} ${i}`, species: one }));

  it("are dark haloes where there are stars, and nothing otherwise", () => {
    expect(leftOutFirst(of("disk", "halo", "bulge", "halo"))).toEqual(["halo 1", "halo 3"]);
    expect(leftOutFirst(of("gas", "halo"))).toEqual(["halo 1"]);
    expect(leftOutFirst(of("halo", "halo"))).toEqual([]);
    expect(leftOutFirst(of("halo", "black-holes"))).toEqual([]);
    expect(leftOutFirst(of("stars", "disk"))).toEqual([]);
    expect(leftOutFirst([])).toEqual([]);
  });

  it("are none where colours tell species apart", () => {
    expect(leftOutFirst(of("disk", "halo"), "species")).toEqual([]);
  });
});
