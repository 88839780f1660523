/** A text file that grows by lines; a resumed run goes on below those of the checkpoint, made anew if need be. */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, renameSync } from "node:fs";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { flushFile, isFile, onFile, writeFileAtomic } from "../io/files.node.ts";
import { textOrNone } from "../io/regular-file.node.ts";

export interface KeptLines {
  /** Lines below the head. */
  count: number;
  /** SHA-256 of the head and these lines, hexadecimal. */
  digest: string;
  /** Head and lines themselves, unless they are too long. */
  text?: string;
}

/** What a checkpoint takes of a file at most [characters]. */
const LONGEST_KEPT = 4 * 1024 * 1024;

export class LineFile {
  readonly #hash = createHash("sha256");
  #text: string | undefined = "";

  private constructor(
    private readonly file: string,
    text: string,
    /** Lines below the head. */
    private count: number,
  ) {
    this.#note(text);
    writeFileAtomic(file, text);
  }

  static begin(file: string, head: string): LineFile {
    return new LineFile(file, `${head}\n`, 0);
  }

  /** Goes on below the kept lines; makes changed ones anew and calls `warn`. Throws "input" when it can't. */
  static goOn(file: string, { count, digest, text }: KeptLines, warn: (message: string) => void): LineFile {
    const found = textOrNone(file);
    const lines = found?.split(/(?<=\n)/).slice(0, 1 + count) ?? [];
    const part = lines.join("");
    const isWhole = lines.length === 1 + count && part.endsWith("\n");
    if (isWhole && digest === digestOf(part)) return new LineFile(file, part, count);
    const what =
      found === undefined
        ? `${file} is missing`
        : `${file} isn't as the run left it (${count} lines below its head, found ${isWhole ? "others" : Math.max(0, lines.length - 1)})`;
    if (text === undefined) throw new GravmeshError("input", `${what}. Put it back as it was, and resume again.`);
    let aside = "";
    if (found !== undefined && !text.startsWith(found)) {
      const name = asideOf(file);
      renameSync(file, name);
      aside = `, and what was there is kept in ${name}`;
    }
    warn(`${what}: it was made anew from the checkpoint${aside}.`);
    return new LineFile(file, text, count);
  }

  /** `line`: without its end. What others have put in the file's place is left alone: the run tells at its end. Throws "io". */
  append(line: string): void {
    onFile("append to", this.file, () => isFile(this.file) && appendFileSync(this.file, `${line}\n`), line.length);
    this.#note(`${line}\n`);
    this.count += 1;
  }

  /** For a checkpoint; what was appended is on the disk then. Throws "io". */
  keep(): KeptLines {
    onFile("write", this.file, () => isFile(this.file) && flushFile(this.file));
    const digest = this.#hash.copy().digest("hex");
    return { count: this.count, digest, ...(this.#text !== undefined && { text: this.#text }) };
  }

  #note(text: string): void {
    this.#hash.update(text);
    const all = this.#text === undefined ? undefined : this.#text + text;
    this.#text = all && all.length > LONGEST_KEPT ? undefined : all;
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** An unused name in the folder of `file`. */
function asideOf(file: string): string {
  for (let n = 1; ; n++) if (!existsSync(`${file}.found-${n}`)) return `${file}.found-${n}`;
}
