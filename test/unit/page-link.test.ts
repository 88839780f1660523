/** Links of the live page: what they hold, and what is refused; the camera's moves. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SHOWN } from "../../src/doors/site/bundled.ts";
import { nearestTurn, panned, turned, zoomed } from "../../src/doors/site/camera.ts";
import { packLink, unpackLink } from "../../src/doors/site/link.ts";
import { cameraAxes as axes } from "../../src/studio/view/camera.ts";
import { wholeBox } from "../../src/studio/view/view.ts";

const view = wholeBox(40);

describe("links of the live page", () => {
  it("hold deck, overrides, variant and view", async () => {
    const shared = {
      text: 'title = "Σ, ü and 𝛂"\n'.repeat(200),
      entries: { "mesh.cells": 64, "mesh.assignment": "tsc" },
      beside: ["mesh.cells=32"],
      view: { ...view, brightest: 0.3, hidden: ["dark halo"] },
    };
    const fragment = await packLink(shared);
    expect(fragment).toMatch(/^g1\.[\w-]+$/);
    expect(fragment.length).toBeLessThan(600);
    expect(await unpackLink(fragment)).toEqual(shared);
    expect(await unpackLink("spiral")).toEqual({ name: "spiral" });
  });

  it("are refused where they are cut off, or hold what no page has written", async () => {
    const fragment = await packLink({ name: "spiral", entries: {}, view });
    expect(await unpackLink(fragment.slice(0, -9))).toBeUndefined();
    expect(await unpackLink("g1.%%%")).toBeUndefined();
    expect(await unpackLink("../../etc")).toBeUndefined();
    const wrong = [
      { name: "spiral", entries: {}, view: { ...view, quantity: "mood" } },
      { name: "spiral", entries: {}, view: { ...view, camera: { ...view.camera, centre: [1, 2] } } },
      { name: "spiral", entries: { "mesh.cells": [64] }, view },
      { name: "spiral", entries: {}, view, beside: [3] },
      { entries: {}, view },
    ];
    for (const one of wrong) expect(await unpackLink(await packLink(one as never))).toBeUndefined();
  });
});

describe("the camera", () => {
  const camera = { azimuth: 30, elevation: 40, centre: [5, 6, 7] as const, span: 10 };
  /** Where a point is in the picture [of its shorter side]. */
  const placed = (from: typeof camera | ReturnType<typeof zoomed>, point: readonly number[]) => {
    const { right, up } = axes(from);
    const way = point.map((x, k) => x - from.centre[k]);
    const along = (axis: readonly number[]) => axis.reduce((sum, x, k) => sum + x * way[k], 0) / from.span;
    return [along(right), along(up)];
  };

  it("zooms about the pointer", () => {
    const { right, up } = axes(camera);
    const point = camera.centre.map((x, k) => x + 10 * (0.3 * right[k] - 0.2 * up[k]));
    const [x, y] = placed(camera, point);
    expect([x, y].map((value) => Number(value.toFixed(12)))).toEqual([0.3, -0.2]);
    const nearer = zoomed(camera, 0.5, [x, y]);
    expect(nearer.span).toBe(5);
    expect(placed(nearer, point)[0]).toBeCloseTo(0.3, 12);
    expect(placed(nearer, point)[1]).toBeCloseTo(-0.2, 12);
  });

  it("moves in the picture's plane, and turns no further than the poles", () => {
    const moved = panned(camera, 0.1, 0.2);
    const [x, y] = placed(camera, moved.centre);
    expect([x, y].map((value) => Number(value.toFixed(12)))).toEqual([0.1, 0.2]);
    expect(turned(camera, -40, 70)).toMatchObject({ azimuth: 350, elevation: 90 });
    expect(nearestTurn({ ...camera, azimuth: 350 }, { ...camera, azimuth: 10 }).azimuth).toBe(370);
  });
});

describe("the gallery", () => {
  it("shows every deck that ships, each once, in a line that fits its card", () => {
    const decks = readdirSync(new URL("../../scenarios", import.meta.url)).filter((name) => name.endsWith(".toml"));
    expect(SHOWN.map(({ name }) => `${name}.toml`).sort()).toEqual(decks.sort());
    expect(SHOWN.filter(({ line }) => line.length > 75)).toEqual([]);
    const pictures = readdirSync(new URL("../../docs/gallery", import.meta.url));
    expect(pictures.sort()).toEqual(decks.map((name) => name.replace(".toml", ".webp")).sort());
  });
});
