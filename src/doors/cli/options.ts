/** What the options of commands have in common: how their texts become values, and how a command is begun. */
import { Command, InvalidArgumentError, Option } from "commander";
import { wrapped } from "../../run/page/text.ts";

/** An option that may be given several times. */
export const repeatable = (text: string, before: string[] = []) => [...before, text];

/** Reads a number, which may have underscores, and refuses what isn't `right`. */
function numberIn(text: string, expected: string, right: (value: number) => boolean): number {
  const value = Number(text.replaceAll("_", ""));
  if (!right(value)) throw new InvalidArgumentError(`expected ${expected}.`);
  return value;
}

const wholeFrom = (least: number) => (text: string) =>
  numberIn(text, `a whole number from ${least} up`, (value) => Number.isInteger(value) && value >= least);

export const wholeNumber = wholeFrom(1);
export const indexFrom0 = wholeFrom(0);

export const numberFrom = (least: number) => (text: string) =>
  numberIn(text, `a number from ${least} up`, (x) => Number.isFinite(x) && x >= least && text.trim() !== "");

export function portNumber(text: string): number {
  indexFrom0(text);
  return numberIn(text, "a port from 0 to 65535", (port) => port <= 65_535);
}

/** A port that may be left out, and then what follows isn't one. */
export function optionalPort(text: string): number {
  if (/^\d+$/.test(text)) return portNumber(text);
  throw new InvalidArgumentError("expected a port from 0 to 65535, or nothing: put it behind all else.");
}

export function positiveOption(text: string): number {
  numberFrom(0)(text);
  return numberIn(text, "a number above 0", (value) => value > 0);
}

export const commaSeparated = (text: string): string[] => text.split(",").map((word) => word.trim());

export const wholeNumbers = (text: string): number[] => text.split(",").map(wholeNumber);

/** Words of a command line; what is quoted is one. */
const WORDS = /(?:"[^"]*"|[^\s"])+/g;

/** A command that can be pasted, in lines of at most `width` columns. */
function commandLines(text: string, width: number): string {
  const lines = ["  $"];
  for (const word of text.match(WORDS) ?? []) {
    const line = lines[lines.length - 1];
    if (line.length + 1 + word.length + 2 <= width || line.trim() === "$") lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`      ${word}`);
  }
  return lines.join(" \\\n");
}

/** Where a command computes, the default first. */
export const BACKENDS = ["auto", "webgpu", "cpu"] as const;

export class Cli extends Command {
  override createCommand(name?: string): Cli {
    return new Cli(name);
  }

  /** An option that takes one of some words, the first unless `fallback` is another. */
  choice(flag: string, description: string, choices: readonly [string, ...string[]], fallback = choices[0]): this {
    return this.addOption(new Option(`${flag} <name>`, description).choices(choices).default(fallback));
  }

  /** What stands below the options: examples, and paragraphs behind them, as wide as the rest of the help. */
  ending(examples: readonly string[], ...notes: readonly string[]): this {
    return this.addHelpText("after", ({ command }) => {
      const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
      const head = examples.length > 1 ? "Examples:" : "Example:";
      const lines = examples.map((example) => commandLines(example, width));
      const paragraphs = notes.map((note) => wrapped(note, width));
      return ["", head, ...lines, ...(notes.length > 0 ? ["", ...paragraphs] : [])].join("\n");
    });
  }

  /** What the command does: its module is loaded only then, and its exit code becomes the process's. */
  does<Given extends unknown[]>(load: () => Promise<(...given: Given) => Promise<number>>): this {
    return this.action(async (...given: unknown[]) => {
      process.exitCode = await (await load())(...(given as Given));
    });
  }
}
