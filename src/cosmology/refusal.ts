/** How a cosmology that can't be is refused: what was expected, what was found, what to try. */
import { GravmeshError } from "../base/errors.ts";

export function refuse(expected: string, found: string | number, hint: string, where = "cosmology"): never {
  throw new GravmeshError("scenario", `${where}: expected ${expected}, found ${found}; ${hint}`);
}
