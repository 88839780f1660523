/** Kernel shapes that users pin, and the rule by the kind of adapter. */
import { expect, it } from "vitest";
import { pinnedShapes, shapeByKind } from "../../src/foundation/gpu/shapes.ts";

const shapeOn = (software: boolean, pins?: string, offered = ["one", "many"]) =>
  shapeByKind(
    { adapter: { software }, shapes: pins === undefined ? undefined : pinnedShapes(pins) },
    "order",
    offered,
    {
      processor: "many",
      gpu: "one",
    },
  );

it("goes by the kind of adapter", () => {
  expect([shapeOn(true), shapeOn(false)]).toEqual(["many", "one"]);
  expect([shapeOn(true, "usual"), shapeOn(true, "update=one")]).toEqual(["many", "many"]);
});

it("is the one that is pinned, where there is a choice", () => {
  expect(shapeOn(false, " order = many ;")).toBe("many");
  expect(shapeOn(false, "usual; order=many")).toBe("many");
  expect(() => shapeOn(true, "order=few")).toThrow(/"order": expected one of one; many, found "few"/);
  expect(shapeOn(false, "order=few", ["one"])).toBe("one");
});

it("refuses pins of nothing", () => {
  for (const wrong of ["orders=many", "many", "order", "order="]) {
    expect(() => pinnedShapes(wrong)).toThrow(/expected stage=shape, with a stage of scan, order, .*found/);
  }
});
