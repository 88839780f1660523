import type { Plugin } from "esbuild";

export const pageFiles: Plugin;
