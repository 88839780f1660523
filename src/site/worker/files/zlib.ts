/** What the readers of tables ask of Node's `zlib`: zipped arrays are read by the command line alone. */
import { GravmeshError } from "../../../errors.ts";

export function createInflateRaw(): never {
  throw new GravmeshError("usage", "a page doesn't read npz files: convert it, gravmesh convert FILE.npz FILE.hdf5");
}
