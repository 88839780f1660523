/** The table [box]: the cube that the run is about. */
import { z } from "zod";
import { choice, optional, positive, required } from "../../foundation/deck/keys.ts";

export const boxTable = z
  .strictObject({
    size: required(positive, { unit: "length", meaning: "side of the cube that the mesh covers" }),
    boundary: optional(choice("isolated", "periodic"), "isolated", {
      meaning: "open space around the box, or copies of it on all sides",
    }),
  })
  .describe("The region that the mesh covers");
export type BoxSettings = z.output<typeof boxTable>;
export type Boundary = BoxSettings["boundary"];
