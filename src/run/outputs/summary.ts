/** summary.json: what the run was and how it went, when it stops. The last file of all: one that says so is complete. */
import { join } from "node:path";
import { writeJson } from "../results.ts";
import type { RunOutput } from "./output.ts";

export const SUMMARY_FILE = "summary.json";

export const summary: RunOutput = {
  name: "summary",
  meaning: "what the run was and how it went, at the end and when it is interrupted",
  files: [SUMMARY_FILE],
  writer: ({ folder }) => ({ atStop: (content) => writeJson(join(folder, SUMMARY_FILE), content) }),
};
