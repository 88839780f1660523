/** The command `gravmesh ensemble` and its options. */
import { InvalidArgumentError, Option } from "commander";
import { BACKENDS, type Cli, indexFrom0, repeatable, wholeNumber } from "./options.ts";

/** A member, or the one that a scheduler's array names. */
function memberIndex(text: string): number {
  if (/^\d+$/.test(text)) return indexFrom0(text);
  throw new InvalidArgumentError("expected a whole number from 0 up, or nothing: put it behind all else.");
}

export function addEnsemble(gravmesh: Cli): void {
  gravmesh
    .command("ensemble")
    .summary("run a deck many times, for many seeds or parameters")
    .description(
      "Runs the members of an ensemble: one deck with every combination of the varied entries, or a Latin hypercube over ranges. " +
        "Each member is a run in its own folder. The same command again, or --resume, continues: interrupted members from " +
        "their checkpoints; failed ones are repeated, finished ones kept.",
    )
    .argument("[SCENARIO]", "path of a deck, or a name")
    .argument("[key=value...]", "entries of the deck to override in all members")
    .addOption(
      new Option(
        "--vary <key=…>",
        "entry that varies among members: a,b,c or 1..16 or 0.5..2/4 (as many values, evenly); seed: of all components; given several times: every combination",
      )
        .argParser(repeatable)
        .default([], "none"),
    )
    .option("--latin <members>", "as many members, spread evenly over the ranges (0.5..2) and lists", wholeNumber)
    .option("--latin-seed <seed>", "of the random numbers of --latin", wholeNumber, 1)
    .option(
      "--jobs <count>",
      "members at once on this machine (default: 1, which fills a GPU; with --backend cpu one a core)",
      wholeNumber,
    )
    .option("--resume <folder>", "continue the ensemble in this folder")
    .option(
      "--member [index]",
      "run only this one, from 0; without a number that of SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX",
      memberIndex,
    )
    .option("--slurm", "submit the members to Slurm as an array job, and a job after it that collects the results")
    .option("--slurm-write", "write the scripts of that into FOLDER/slurm, and submit nothing")
    .option("--sbatch <options>", 'of the array job: "--time=2:00:00 --partition=gpu --gpus=1"')
    .option(
      "--sbatch-collect <options>",
      "of the collecting job (default: account, partition and the like of --sbatch)",
    )
    .option("--collect <folder>", "collect the results of the ensemble in this folder")
    .option("--dry-run", "list the members, and the memory of one")
    .choice("--backend", "where to compute; auto: WebGPU when there is an adapter, else float64 on the CPU", BACKENDS)
    .option("--extension <file>", "JavaScript module that adds models, potentials, columns or outputs", repeatable)
    .option("--out <folder>", "folder of the ensemble (default: results/ensemble-NAME)")
    .option("--force", "replace the ensemble that the folder holds, with the runs of its members")
    .option("--json", "events on stdout, one JSON object a line")
    .option("--quiet", "print warnings and errors only")
    .ending(
      [
        "gravmesh ensemble plummer --vary seed=1..16",
        "gravmesh ensemble disk --vary particles.disk.toomreQ=1.2,1.5,2 --vary seed=1..4 mesh.cells=64",
        "gravmesh ensemble disk --latin 20 --vary particles.disk.toomreQ=1..2 --vary particles.disk.mass=0.5..1.5",
        "gravmesh ensemble --resume results/ensemble-plummer",
        'gravmesh ensemble disk --vary seed=1..64 --slurm --sbatch "--time=1:00:00 --gpus=1"',
      ],
      "Ctrl-C stops the running members with checkpoints; a second one at once.",
      "Exit code 0: every member is finished; 1: one failed or isn't finished, the others are there; 130: stopped.",
    )
    .does(async () => (await import("./ensemble.ts")).ensembleCommand);
}
