/** Malformed command lines, from the program itself: every option of every command with what it doesn't expect. */
import type { Command, Option } from "commander";
import { program } from "../../src/doors/cli/program.ts";
import type { Choice, MalformedCase, Setup } from "./case.ts";
import { goodDeck } from "./decks.ts";
import { WRONG_ARGUMENTS, WRONG_PATHS } from "./values.ts";

const short = (args: readonly string[]) =>
  args.map((arg) => (arg.length > 30 ? `${arg.slice(0, 30)}…` : arg)).join(" ");

/** What every command finds in its folder. */
const SURROUNDINGS: Setup[] = [
  { write: "deck.toml", text: goodDeck() },
  { link: "loop", to: "loop" },
  { fifo: "pipe" },
];

const flagCase =
  (args: readonly string[], kind = args[0] === "ensemble" ? "ensemble" : "flag") =>
  (): MalformedCase => ({ kind, title: short(args), setup: SURROUNDINGS, args: [...args] });

function every(command: Command): Command[] {
  return [command, ...command.commands.flatMap(every)];
}

/** Names that lead to a command. */
function namesOf(command: Command): string[] {
  return command.parent ? [...namesOf(command.parent), command.name()] : [];
}

const isPath = ({ flags }: Option) => /<(folder|file)>/.test(flags);
const takes = ({ required, optional }: Option) => required || optional;

const PLANNED = ["--backend", "cpu", "--quiet", "--dry-run"];

/** What a command needs to get as far as its options, without beginning to work where it takes long. */
function arguments_(command: Command): string[] {
  if (command.name() === "run") return ["./deck.toml", "--backend", "cpu", "--quiet"];
  // Members would be processes of a command that isn't there.
  if (command.name() === "ensemble") return ["./deck.toml", "--vary", "seed=1..2", ...PLANNED];
  return command.registeredArguments.some(({ required }) => required) ? ["./nowhere.toml"] : [];
}

/** Commands that begin to measure as soon as their flags are right. */
const MEASURES = /^(bench|doctor)/;

export function flagCases(choice: Choice): (() => MalformedCase)[] {
  const commands = every(program());
  const perCommand = commands.flatMap((command) => {
    const names = namesOf(command);
    const measures = MEASURES.test(names[0] ?? "");
    const options = command.options.flatMap((option) => {
      const flag = option.long ?? option.short ?? "";
      if (!takes(option)) return [[`${flag}=x`], [`${flag}x`]];
      // Nothing is a wrong folder to one that only writes there when it is done.
      const values = isPath(option) ? (measures ? [] : WRONG_PATHS) : WRONG_ARGUMENTS;
      const refused = values.filter((value) => !measures || option.argChoices || !isGood(option, value));
      return [[flag], ...refused.map((value) => [flag, value]), ...(refused.length > 0 ? [[`${flag}=`]] : [])];
    });
    return options.map((option) => [...names, ...arguments_(command), ...option]);
  });
  const unknown = commands.flatMap((command) => [
    [...namesOf(command), "--nothing"],
    [...namesOf(command), "-q"],
    [...namesOf(command), "--\u001b[2J"],
    [...namesOf(command), `--${"x".repeat(20_000)}`],
  ]);
  const words = [
    "walk",
    "Run",
    "runn",
    "",
    "🌌",
    "\u001b[2J",
    "help nothing",
    "help run run",
    "bench nothing",
    "bench -1",
  ];
  const scenarios = WRONG_PATHS.flatMap((path) => [
    ["run", path, "--backend", "cpu", "--quiet"],
    ["compare", path, "--backend", "cpu", "--quiet"],
    ["validate", path, "--backend", "cpu", "--quiet"],
    ["ensemble", path, "--vary", "seed=1..2", ...PLANNED],
    ["ensemble", "--collect", path, "--quiet"],
    ["ensemble", "--resume", path, "--member", "0", "--quiet"],
    ["ensemble", "./deck.toml", "--vary", "particles.0.kind=snapshot,plummer", "--out", path, ...PLANNED],
  ]);
  const together = Array.from({ length: 40 }, () => {
    const flags = [
      "--out",
      "--resume",
      "--force",
      "--extension",
      "--backend",
      "--json",
      "--quiet",
      "--vary",
      "--poisson",
    ];
    return ["run", ...Array.from({ length: 4 }, () => choice.of([...flags, ...WRONG_PATHS]))];
  });
  const vary = [
    ...WRONG_ARGUMENTS,
    "a=b",
    "mesh.cells=",
    "mesh.cells=16,",
    "mesh.cells=x,y",
    "mesh=1,2",
    "=a,b",
    "a,b",
    ...["seed=1..", "seed=..3", "seed=3..1", "seed=1..1e9", "seed=0..3", "seed=1..2/0", "seed=1..2/1e9", "seed=1...3"],
    ...["seed=1.5..2", "seed=[1,2", "seed=1,2,1", "title=a,b", "particles.0.mass=nan..1", "time.end=0..1e400"],
    `seed=${"1,".repeat(20_000)}2`,
  ];
  return [
    ...perCommand.map((args) => flagCase(args)),
    ...unknown.map((args) => flagCase(args)),
    ...words.map((word) => flagCase(word.split(" "))),
    ...scenarios.map((args) => flagCase(args, "path")),
    ...together.map((args) => flagCase([...args, "--backend", "cpu"])),
    ...vary.map((value) => flagCase(["compare", "./deck.toml", "--backend", "cpu", "--quiet", "--vary", value])),
    ...vary.map((value) => flagCase(["compare", "./deck.toml", "--backend", "cpu", "--quiet", "--poisson", value])),
    ...vary.map((value) => flagCase(["ensemble", "./deck.toml", "--vary", value, ...PLANNED])),
    ...vary.map((value) => flagCase(["ensemble", "./deck.toml", "--latin", "3", "--vary", value, ...PLANNED])),
    ...vary.map((value) =>
      flagCase(["ensemble", "./deck.toml", "--vary", "seed=1..2", "--slurm-write", "--sbatch", value, "--quiet"]),
    ),
  ];
}

/** Whether the option takes the value after all. */
function isGood({ parseArg }: Option, value: string): boolean {
  try {
    parseArg?.(value, undefined);
    return true;
  } catch {
    return false;
  }
}
