import type { Try } from "./try.ts";

export const linkTries: readonly Try[] = [];
