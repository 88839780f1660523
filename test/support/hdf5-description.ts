/** Everything in an HDF5 file as h5py (Debian's python3-h5py) sees it: a reader that shares no code with ours. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PYTHON = "/usr/bin/python3";
const CHECK = fileURLToPath(new URL("../cli/h5py_check.py", import.meta.url));

export interface SeenAttribute {
  dtype: string;
  shape: number[];
  variable_length: boolean;
  value: unknown;
}

export interface SeenNode {
  attributes: Record<string, SeenAttribute>;
  dtype?: string;
  shape?: number[];
  maxshape?: (number | null)[];
  chunks?: number[] | null;
  compression?: string | null;
  fletcher32?: boolean;
  /** First and last three rows, flat. */
  first?: number[];
  last?: number[];
  sum?: number;
}

/** Path → what is there. */
export function describeHdf5(file: string): Record<string, SeenNode> {
  const json = execFileSync(PYTHON, [CHECK, file], { encoding: "utf8" });
  return JSON.parse(json.replace(/\bInfinity\b/g, '"Infinity"'));
}
