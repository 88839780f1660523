/** scenario.toml: the complete deck as run, which gives the same run again and which --resume reads. */
import { join } from "node:path";
import { deckText } from "../../scenario/deck.ts";
import { writeFileAtomic } from "../io/files.node.ts";
import type { RunOutput } from "./output.ts";

export const DECK_FILE = "scenario.toml";
/** A file of the deck that came by stdin, put here before the run begins. */
export const STDIN_FILE = "stdin.data";

export const deck: RunOutput = {
  name: "deck",
  meaning: "the complete deck as run, at the start; with a file that came by stdin, that as it came",
  files: [DECK_FILE, STDIN_FILE],
  writer({ simulation, folder, resumedAt }) {
    if (resumedAt === undefined) writeFileAtomic(join(folder, DECK_FILE), deckText(simulation.scenario));
    return {};
  },
};
