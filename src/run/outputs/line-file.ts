/** A text file that grows by whole lines as the run goes. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { fileError, writeFileAtomic } from "../../io/files.node.ts";

export class LineFile {
  /** Starts the file anew with `text`; `count`: the lines in it below its head. */
  constructor(
    private readonly file: string,
    text: string,
    public count = 0,
  ) {
    writeFileAtomic(file, text);
  }

  /**
   * Starts a file of `head` and lines below it, or goes on after the first `count` of these; later ones belong to a part
   * of the run that is lost.
   */
  static open(file: string, head: string, count: number | undefined): LineFile {
    const goesOn = count !== undefined && existsSync(file);
    const lines = goesOn ? readFileSync(file, "utf8").split(/(?<=\n)/) : [`${head}\n`];
    return new LineFile(file, lines.slice(0, 1 + (count ?? 0)).join(""), count);
  }

  /** `line`: without its end. Throws "io". */
  append(line: string): void {
    try {
      appendFileSync(this.file, `${line}\n`);
    } catch (cause) {
      throw fileError("append to", this.file, cause, line.length);
    }
    this.count += 1;
  }
}
