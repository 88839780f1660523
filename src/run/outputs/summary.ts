/** summary.json: what the run was and how it went, when it stops. */
import { join } from "node:path";
import { writeJson } from "../results.ts";
import type { RunOutput } from "./output.ts";

const FILE = "summary.json";

export const summary: RunOutput = {
  name: "summary",
  meaning: "what the run was and how it went, at the end and when it is interrupted",
  files: [FILE],
  writer: ({ folder }) => ({ atStop: (content) => writeJson(join(folder, FILE), content) }),
};
