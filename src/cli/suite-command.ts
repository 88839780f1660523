/** The suites as subcommands of `gravmesh bench`, and what is said to a name that is none. */
import type { Command } from "commander";
import { SUITE_NAMES } from "../bench/suites/list.ts";
import { GravmeshError } from "../errors.ts";
import { nearestWord } from "../scenario/suggest.ts";
import type { SuiteFlags } from "./suite.ts";

/** Adds a command a suite; call it after the other subcommands of `bench`, which an unknown name may have meant. */
export function addSuites(bench: Command): void {
  for (const { id, summary, description } of SUITE_NAMES) {
    bench
      .command(id)
      .summary(summary)
      .description(
        `${description}\n\n` +
          "Prints the paper's figures beside ours; writes suite.json and suite.html. Each result is written as soon as it " +
          "is there: run the same command again to go on with the rest.",
      )
      .option("--quick", "less of everything: a few minutes on two cores without a GPU")
      .option("--out <folder>", `result folder (default: results/${id}, or results/${id}-quick)`)
      .option("--force", "measure everything again, and replace what the folder holds")
      .option("--json", "events on stdout, one JSON object a line")
      .addHelpText(
        "after",
        `
Example:
  $ gravmesh bench ${id} --quick

Ctrl-C stops after the measurement and keeps what has been measured.
Exit code 1: a measurement failed, the others are there.`,
      )
      .action(async (flags: SuiteFlags) => {
        const { suiteCommand } = await import("./suite.ts");
        process.exitCode = await suiteCommand(id, flags);
      });
  }
  bench.on("command:*", ([name]: string[]) => {
    const names = bench.commands.map((command) => command.name());
    const near = nearestWord(name, names);
    const advice = near ? `Did you mean ${near}?` : `Expected one of ${names.join(", ")}.`;
    throw new GravmeshError("usage", `gravmesh bench ${name}: there is no such benchmark. ${advice}`);
  });
}
