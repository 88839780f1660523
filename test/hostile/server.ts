import type { Try } from "./try.ts";

export const serverTries: readonly Try[] = [];
