/** The keys of every [[potential]] table. */
import { optional, vector } from "../deck/keys.ts";
import { galaxyKey, nameKey } from "../deck/kinds.ts";
import { changeKeys } from "./change-keys.ts";

export const tableKeys = {
  name: nameKey,
  galaxy: galaxyKey,
  offset: optional(vector, [0, 0, 0], {
    unit: "length",
    meaning: "centre, from the centre of the box, or of its galaxy",
  }),
  ...changeKeys,
};
