/** Whether all ranks see the folder that rank 0 writes to: it puts a file there, with a unique number. */
import { randomUUID } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { GravmeshError } from "../foundation/base/errors.ts";
import { type AskRanks, foundByAll, type RankTask } from "../physics/particles/rank-tasks.ts";
import { newTemporary, onFile } from "./io/files.node.ts";
import { textOrNone } from "./io/regular-file.node.ts";

interface Token {
  folder: string;
  /** The file in it, and what it holds. */
  file: string;
  content: string;
}

/** How often, and after how long again, a rank looks: a network's file system may be late [ms]. */
const LOOKS = 8;
const BETWEEN = 250;

export const lookForFolder: RankTask<Token, null> = {
  name: "look for the folder",
  run: async ({ folder, file, content }, { rank }) => {
    for (let look = 1; textOrNone(join(folder, file)) !== content; look++) {
      if (look === LOOKS) {
        const another = `${folder} is another folder there than the one that rank 0 writes to.`;
        throw new GravmeshError("io", existsSync(folder) ? another : `there is no folder ${folder}.`);
      }
      await pause(BETWEEN);
    }
    const own = newTemporary(join(folder, `rank-${rank}`));
    onFile("write", own, () => {
      writeFileSync(own, content);
      rmSync(own);
    });
    return null;
  },
};

/** Throws "io" with the first rank that doesn't see the folder, and its machine. */
export async function requireSharedFolder(ask: AskRanks, name: string): Promise<void> {
  const folder = resolve(name);
  const token = newTemporary(join(folder, "folder"));
  const content = randomUUID();
  onFile("write", token, () => writeFileSync(token, content));
  try {
    const outcomes = await ask(lookForFolder, { folder, file: token.slice(folder.length + 1), content });
    const advice =
      " Each rank writes its own particles to a file of each snapshot: choose a folder with --out that all ranks see, or " +
      "have rank 0 write all with output.filePerRank=false.";
    foundByAll(outcomes, advice);
  } finally {
    rmSync(token, { force: true });
  }
}
