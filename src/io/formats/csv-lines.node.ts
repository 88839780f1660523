/** Lines of a text file, a piece of it at a time. */
import { ByteFile } from "../byte-file.node.ts";
import { breathe } from "../hdf5.node.ts";

/** Read at a time [byte]. */
const PIECE = 2 ** 20;
/** No table of particles has longer ones [byte]. */
const LONGEST_LINE = 2 ** 16;
const LINE_END = 10;

export interface Lines {
  lines: string[];
  /** Number of the first, from 1. */
  first: number;
}

/** All lines of `name`, without their ends. Throws "input" for what is no text. */
export async function* linesOf(name: string): AsyncGenerator<Lines> {
  const file = ByteFile.open(name);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest: Uint8Array = new Uint8Array(0);
  let first = 1;
  try {
    for (let at = 0; at < file.bytes; at += PIECE) {
      const piece = file.readUpTo(at, PIECE);
      const isLast = at + piece.length >= file.bytes;
      const bytes = new Uint8Array(rest.length + piece.length);
      bytes.set(rest);
      bytes.set(piece, rest.length);
      const end = isLast ? bytes.length : bytes.lastIndexOf(LINE_END) + 1;
      rest = bytes.subarray(end);
      if (rest.length > LONGEST_LINE) throw file.fault(`line ${first} has more than ${LONGEST_LINE} bytes.`, NO_TABLE);
      let text: string;
      try {
        text = decoder.decode(bytes.subarray(0, end));
      } catch {
        throw file.fault(`the text after line ${first} is not UTF-8.`, NO_TABLE);
      }
      const lines = text.split(/\r?\n/);
      if (lines.at(-1) === "") lines.pop();
      yield { lines, first };
      first += lines.length;
      await breathe();
    }
  } finally {
    file.close();
  }
}

const NO_TABLE = "Is it a table of numbers?";
