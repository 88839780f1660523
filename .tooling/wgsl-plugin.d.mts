import type { Plugin } from "esbuild";

export const esbuildWgsl: Plugin;
