/** What a file format of particles is: a record that recognises, reads and writes it. formats.node.ts lists them. */
import type { FileFormatName, FileReading } from "../../../foundation/deck/file-formats.ts";
import type { Need, SnapshotSet } from "../column.ts";
import type { Written } from "./written.ts";

export interface FileStart {
  bytes: Uint8Array;
  size: number;
}

/** How many bytes of a file are looked at to recognise it. */
export const START_BYTES = 512;

export interface FileFormat {
  readonly name: FileFormatName;
  /** One line, no full stop. */
  readonly about: string;
  /** Endings of file names, the usual one first. */
  readonly endings: readonly string[];
  /** Velocities of an expanding box are GADGET's, lengths and masses over h; otherwise numbers stay those of the source. */
  readonly gadget: boolean;
  /** It says what units its numbers are in, where that is known. */
  readonly hasUnits: boolean;
  /** How often it goes through the rows to write them, for progress. */
  readonly passes: number;
  recognise(start: FileStart): boolean;
  /** Throws "input" for what is damaged, inconsistent or ambiguous, with what was found. */
  open(file: string, need: Need, as: FileReading): Promise<SnapshotSet>;
  /**
   * Gives what it can't hold. `double`: numbers as they are in the source, where the format commonly has float32. Throws
   * "input" for numbers that aren't finite, "usage" for too many.
   */
  write(file: string, written: Written, options: { double: boolean }): Promise<string[]>;
}
