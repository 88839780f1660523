/** What the options of commands have in common: how their texts become values, and how a command is begun. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { wrapped } from "../page/text.ts";

/** An option that may be given several times. */
export const collected = (text: string, before: string[] = []) => [...before, text];

export function wholeNumber(text: string): number {
  const value = Number(text.replaceAll("_", ""));
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("expected a whole number from 1 up.");
  return value;
}

export function numberFrom(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text.replaceAll("_", ""));
    if (!(Number.isFinite(value) && value >= least && text.trim() !== "")) {
      throw new InvalidArgumentError(`expected a number from ${least} up.`);
    }
    return value;
  };
}

export function indexFrom0(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError("expected a whole number from 0 up.");
  return value;
}

export function portNumber(text: string): number {
  const port = indexFrom0(text);
  if (port > 65_535) throw new InvalidArgumentError("expected a port from 0 to 65535.");
  return port;
}

/** A port that may be left out, and then what follows isn't one. */
export function optionalPort(text: string): number {
  if (/^\d+$/.test(text)) return portNumber(text);
  throw new InvalidArgumentError("expected a port from 0 to 65535, or nothing: put it behind all else.");
}

export function positiveNumber(text: string): number {
  const value = numberFrom(0)(text);
  if (value === 0) throw new InvalidArgumentError("expected a number above 0.");
  return value;
}

export const words = (text: string): string[] => text.split(",").map((word) => word.trim());

export const wholeNumbers = (text: string): number[] => text.split(",").map(wholeNumber);

/** What a command does: its module is loaded only then, and its exit code becomes the process's. */
export function does<Given extends unknown[]>(load: () => Promise<(...given: Given) => Promise<number>>) {
  return async (...given: Given): Promise<void> => {
    process.exitCode = await (await load())(...given);
  };
}

export const choiceOption = (flag: string, description: string, choices: readonly [string, ...string[]]) =>
  new Option(`${flag} <name>`, description).choices(choices).default(choices[0]);

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

/** What stands below a command's options: examples, and paragraphs behind them, as wide as the rest of its help. */
export function ending(examples: readonly string[], ...notes: readonly string[]) {
  return ({ command }: { command: Command }): string => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    const head = examples.length > 1 ? "Examples:" : "Example:";
    const lines = examples.map((example) => commandLines(example, width));
    const paragraphs = notes.map((note) => wrapped(note, width));
    return ["", head, ...lines, ...(notes.length > 0 ? ["", ...paragraphs] : [])].join("\n");
  };
}
