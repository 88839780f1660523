/** The deck's table [units]. Apart from the systems themselves, which pages know and which need no schema. */
import { z } from "zod";
import { choice, optional } from "./keys.ts";
import { UNIT_SYSTEM_NAMES } from "./units.ts";

export const unitsTable = z
  .strictObject({
    system: optional(choice(...UNIT_SYSTEM_NAMES), "nbody", {
      meaning: "units of every number in the deck, and with them G",
    }),
  })
  .describe("What the numbers mean");
