/**
 * What tells that a dataset of ours still holds what was written: the SHA-256 of its bytes, row by row, as an attribute of
 * the dataset. HDF5's own fletcher32 sums each chunk for every reader, but takes one that was zeroed, its sum included,
 * for sound, and 0x0000 for 0xffff.
 */
import { createHash } from "node:crypto";
import { type Hdf5Dataset, writeAttributes } from "./hdf5.node.ts";

const NAME = "sha256";

/** Whether gravmesh wrote this dataset, and says what it held. */
export function hasDigest(dataset: Hdf5Dataset): boolean {
  return NAME in dataset.attrs;
}

/** Sums the rows of a dataset, slab by slab in their order. */
export class DatasetDigest {
  readonly #sum = createHash("sha256");

  add(slab: ArrayBufferView): void {
    this.#sum.update(new Uint8Array(slab.buffer, slab.byteOffset, slab.byteLength));
  }

  /** Once, after the last row. */
  writeTo(dataset: Hdf5Dataset): void {
    writeAttributes(dataset, { [NAME]: this.#sum.digest("hex") });
  }

  /** Once, after the last row. Whether the dataset's own attribute says otherwise; one without it is taken as it is. */
  contradicts(dataset: Hdf5Dataset): boolean {
    return hasDigest(dataset) && dataset.attrs[NAME].value !== this.#sum.digest("hex");
  }
}
