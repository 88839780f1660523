/** Loads a suite by its name; only the one that is asked for. */
import type { Suite } from "./spec.ts";

export const SUITES: Readonly<Record<string, () => Promise<{ suite: Suite }>>> = {
  aubert2009: () => import("./aubert2009/index.ts"),
  fujiwara2009: () => import("./fujiwara2009/index.ts"),
  "portegies-zwart2007": () => import("./portegies-zwart2007/index.ts"),
  sapporo2: () => import("./sapporo2/index.ts"),
};
