/** The commands of `gravmesh` and their options; docs/commands.md is written from this. */
import { type Command, Option } from "commander";
import { POISSON_METHODS } from "../../engine/mesh/settings.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { nearestWord } from "../../foundation/base/nearest-word.ts";
import { version } from "../../foundation/base/version.ts";
import { FILE_FORMATS, VELOCITY_CONVENTIONS } from "../../foundation/deck/file-formats.ts";
import { assignmentNames } from "../../physics/particles/assignments.ts";
import { QUANTITIES } from "../../studio/view/view.ts";
import { SUITES } from "../../study/bench/suites/index.ts";
import { addAmuseWorker } from "./amuse-options.ts";
import { addEnsemble } from "./ensemble-options.ts";
import { addMovie } from "./movie-options.ts";
import {
  BACKENDS,
  Cli,
  indexFrom0,
  numberFrom,
  optionalPort,
  positiveOption,
  repeatable,
  wholeNumber,
  wholeNumbers,
} from "./options.ts";
import { plainMessage } from "./plain.ts";
import { addView } from "./view-options.ts";

/** The beginning of a command that takes a deck; `overrides`: what these are of. */
const deckCommand = (gravmesh: Cli, name: string, overrides = "entries of the deck to override", deck = "<SCENARIO>") =>
  gravmesh.command(name).argument(deck, "path of a deck, or a name").argument("[key=value...]", overrides);

/** Of benchmarks that are a table. */
const AFTER_A_MEASUREMENT =
  "Ctrl-C stops after the measurement and prints what there is. Exit code 1: a measurement failed, the others are there.";

/** Options of all commands that take a deck and leave a result folder; `holds`: what that is called. */
function resultOptions(command: Cli, out: string, holds: string): Cli {
  const backend =
    "where to compute; auto: WebGPU when there is an adapter, else float64 on the CPU; run sums few bodies directly on the CPU, too, where that is faster";
  const extension = "JavaScript module that adds models, potentials, columns or outputs; may be given several times";
  return command
    .choice("--backend", backend, BACKENDS)
    .option("--extension <file>", extension, repeatable)
    .option("--out <folder>", `result folder (default: results/${out})`)
    .option("--force", `replace the ${holds} that the result folder holds`)
    .option("--json", "events on stdout, one JSON object a line")
    .option("--quiet", "print warnings and errors only");
}

export function program(): Cli {
  const gravmesh = new Cli("gravmesh")
    .description("Particle-mesh gravity on any GPU.")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    // Names alone: with their arguments, which a command's own help has, descriptions wouldn't fit 80 columns.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpCommand(false)
    .showHelpAfterError("(--help shows the options, with an example)")
    .exitOverride()
    .configureOutput({
      // An argument comes back in messages, whatever it was.
      writeErr: (text) => process.stderr.write(plainMessage(text)),
    })
    .ending(["gravmesh run plummer", "gravmesh doctor"]);

  const run = deckCommand(gravmesh, "run", undefined, "[SCENARIO]")
    .summary("evolve a scenario and write a result folder")
    .description(
      "Evolves a scenario and writes a result folder: snapshots, diagnostics, a report. " +
        "SCENARIO is the path of a deck, the name of one that ships with gravmesh, or - for stdin. " +
        "key=value overrides an entry of the deck (particles.0.file=- reads stdin); with --resume only a few may change, for the rest of the run (docs/continuing.md).",
    )
    .option(
      "--resume <folder>",
      "continue the run in this folder from where it was interrupted, or with time.end=… beyond its end; or regenerate its files",
    )
    .option("--dry-run", "estimate memory, resolution, outputs and time from a few trial steps; write nothing")
    .option("--live [port]", "serve a page that shows the run, and can pause and stop it", optionalPort);
  resultOptions(run, "NAME", "run")
    .ending(
      [
        "gravmesh run disk",
        "gravmesh run disk mesh.cells=64 particles.disk.count=262144 --out results/small",
        "gravmesh run my-galaxy.toml --backend cpu",
        "gravmesh run disk --dry-run",
        "gravmesh run disk --live",
        "gravmesh run --resume results/disk",
        "gravmesh run --resume results/disk time.end=10",
      ],
      "Ctrl-C saves a checkpoint and a report so far, and stops; a second one stops at once. SIGTERM, a terminal that is closed and a reader that goes (| head) stop it like the first.",
    )
    .does(async () => (await import("./run.ts")).runCommand);

  const compare = deckCommand(gravmesh, "compare", "entries of the deck to override in all variants")
    .summary("run variants of a scenario, and set accuracy and cost side by side")
    .description(
      "Runs variants of a scenario from the same initial conditions, one after the other, and sets them side by side: " +
        "forces at the first step and against a direct sum, conservation, particles at the end, time per stage, " +
        "memory; and says which variant is nearest to the direct sum. " +
        "Writes compare.html, compare.csv and compare.json. The first variant is what the others are compared with.",
    )
    .option("--poisson <a,b,…>", "short for --vary mesh.poisson=a,b,…")
    .option(
      "--gravity <a,b,…>",
      "mesh, p3m, direct: short for --vary gravity=…; or newton and formulations of [mond], for mond.formulation",
    )
    .option("--levels <a,b>", "with,without: the deck's [[level]] tables, and none of them")
    .addOption(
      new Option("--vary <key=a,b,…>", "deck entry that varies; given several times: every combination")
        .argParser(repeatable)
        .default([], "none"),
    )
    .option(
      "--targets <count>",
      "particles on which forces are held against a direct sum (default: by time)",
      wholeNumber,
    )
    .option(
      "--softening <length>",
      "softening of that sum (default: half a cell of the finest mesh, or the deck's own where gravity is direct or p3m)",
      numberFrom(0),
    )
    .option("--no-direct", "leave the direct sum out");
  resultOptions(compare, "compare-NAME", "comparison")
    .ending(
      [
        "gravmesh compare disk --poisson fft,multigrid",
        "gravmesh compare plummer mesh.cells=32 --vary mesh.assignment=cic,tsc --vary mesh.gradient=2-point,4-point",
      ],
      "Ctrl-C stops after the step and writes what has been measured. Exit code 1: a variant failed, the others are there.",
    )
    .does(async () => (await import("./compare.ts")).compareCommand);

  const validate = deckCommand(gravmesh, "validate")
    .summary("set the mesh against direct summation on the same particles")
    .description(
      "How wrong the mesh is: accelerations at the first step against direct summation on the same " +
        "particles; the force of a point mass by separation; then both evolved side by side: conservation, " +
        "Lagrangian radii, profiles, orbits. " +
        "Writes validate.html, validate.csv and validate.json.",
    )
    .option("--targets <count>", "particles on which forces are compared (default: by time)", wholeNumber)
    .option(
      "--softening <length>",
      "softening of the direct sums (default: none at the first step, what the mesh acts like in the evolution)",
      numberFrom(0),
    )
    .option(
      "--budget <seconds>",
      "time for the evolution; larger runs are sampled. The forces get a third besides",
      numberFrom(1),
      60,
    )
    .option("--no-evolve", "compare forces alone");
  resultOptions(validate, "validate-NAME", "validation")
    .ending(
      ["gravmesh validate plummer", "gravmesh validate disk mesh.assignment=tsc --targets 4096 --no-evolve"],
      "Ctrl-C stops and writes what has been measured. Exit code 1: a part failed, the others are there.",
    )
    .does(async () => (await import("./validate.ts")).validateCommand);

  gravmesh
    .command("convert")
    .summary("write a file of particles in another format")
    .description(
      "Writes the particles of a file in another format: positions, velocities, masses, ids and types, and the header data " +
        "that the new format holds; lists the rest. " +
        "The first bytes of IN give its format, the ending of OUT its own.",
    )
    .argument("<IN>", "file that is read; of several parts, any of them; - is stdin")
    .argument("<OUT>", "file that is written; - is stdout, with --to")
    .addOption(new Option("--from <name>", "format of IN").choices(FILE_FORMATS))
    .addOption(new Option("--to <name>", "format of OUT").choices(FILE_FORMATS))
    .option("--force", "replace OUT if it exists")
    .option("--double", "write GADGET's binary formats in float64 where IN has more digits than float32")
    .option("--columns <names>", "names of the columns of a table that has none: x,y,z,vx,vy,vz,mass")
    .option("--frame <index>", "which snapshot, from 0, of a NEMO file with several", indexFrom0)
    .option("--types <numbers>", "particle types that are read, 0 to 5: 1 or 1,4 (default: all)", wholeNumbers)
    .addOption(new Option("--ids <which>", "of IN, or new ones in its order").choices(["file", "new"]))
    .option("--units <names>", 'units of IN, if it doesn\'t give them: "kpc, 1e10 Msun, km/s"')
    .addOption(
      new Option("--velocities <name>", "IN is of an expanding box, and its velocities are √a dx/dt, …").choices(
        VELOCITY_CONVENTIONS,
      ),
    )
    .option("--json", "events on stdout, one JSON object a line")
    .option("--quiet", "print warnings and errors only")
    .ending(
      [
        "gravmesh convert results/disk/snapshot_010.hdf5 disk.nemo",
        'gravmesh convert galaxy.tipsy galaxy.hdf5 --units "kpc, 2.32e5 Msun, km/s"',
        "gravmesh convert snapshot_003.0 all.hdf5",
        "gravmesh convert galaxy.nemo - --to npz | gravmesh run galaxy.toml particles.0.file=-",
        "gravmesh convert points.txt points.npy --columns x,y,z,vx,vy,vz,mass",
      ],
      "OUT appears when it is complete. Ctrl-C stops, and nothing is written.",
      "Exit code 1: IN can't be read or OUT not written; 2: the request is impossible.",
    )
    .does(async () => (await import("./convert.ts")).convertCommand);

  gravmesh
    .command("spectra")
    .summary("power spectrum and other statistics of a snapshot, or between two")
    .description(
      "Measures the density's modes in a periodic box: power_000.csv, cross_000.csv with OTHER or between components, " +
        "multipoles in redshift space, bispectrum, correlation function; as the table spectra of a deck does during a run " +
        "(docs/spectra.md).",
    )
    .argument("<FILE>", "snapshot; of several parts, any of them")
    .argument("[OTHER]", "another one of the same box: cross-power and correlation of both")
    .option("--cells <count>", "of the mesh, per side", wholeNumber, 128)
    .choice("--multipoles", "line of sight of redshift space", ["none", "x", "y", "z"])
    .option("--cross", "between components of FILE")
    .option("--triangles <bins>", "bins of k for the bispectrum", wholeNumber)
    .option("--triangle-width <count>", "width of such a bin in 2π/L (default: 2)", wholeNumber)
    .option("--correlation <bins>", "bins of r for the correlation function", wholeNumber)
    .option("--separations <least,largest>", "range of r (default: 2 cells to L/4)", (text: string) =>
      text.split(",").map(numberFrom(0)),
    )
    .option("--out <folder>", "where the files go (default: results/spectra-NAME)")
    .option("--force", "replace the spectra that the folder holds")
    .option("--json", "events on stdout, one JSON object a line")
    .option("--quiet", "print warnings and errors only")
    .ending(
      [
        "gravmesh spectra results/lcdm/snapshot_004.hdf5 --multipoles z --triangles 8 --correlation 20",
        "gravmesh spectra results/lcdm/snapshot_000.hdf5 results/lcdm/snapshot_004.hdf5",
      ],
      "Exit code 1: FILE can't be read or the files not written; 2: the request is impossible.",
    )
    .does(async () => (await import("./snapshot-spectra.ts")).spectraCommand);

  addEnsemble(gravmesh);

  addMovie(gravmesh);

  addView(gravmesh);

  addAmuseWorker(gravmesh);

  gravmesh
    .command("doctor")
    .summary("check the adapter, and say what to install where there is none")
    .description(
      "Shows adapter, driver and limits, checks the arithmetic and the forces, measures the bandwidth. With --report it " +
        "checks every kernel against its twin in float64 and times stages and direct sums, within five minutes, and writes " +
        "doctor.html and doctor.json to attach to a report (docs/doctor.md).",
    )
    .option("--report", "check and time everything, and write a page and a JSON")
    .option("--out <folder>", "result folder of --report (default: results/doctor)")
    .option("--force", "replace the report that the folder holds")
    .option("--seconds <count>", "time limit of --report, which then omits the rest (default: 270)", positiveOption)
    .option("--json", "the report as JSON; with --report events, one JSON object a line")
    .option("--quiet", "with --report: print warnings and errors only")
    .ending(["gravmesh doctor", "gravmesh doctor --report"], "Exit code 1: there is no adapter, or a check failed.")
    .does(async () => (await import("./doctor.ts")).doctor);

  const bench = gravmesh
    .command("bench")
    .summary("measure: time per stage, error of the mesh force, the papers' tables")
    .description(
      "Measures on the adapter that a run would use. Suites named after papers print their figures next to ours.",
    )
    .helpCommand(false)
    .ending(["gravmesh bench stages --mesh 64,128", "gravmesh bench aubert2009 --quick"]);

  bench
    .command("stages")
    .summary("time per stage, against the least traffic and the copy bandwidth")
    .description("Time per stage of the step, against the bytes it has to move and the copy bandwidth of this adapter.")
    .addOption(new Option("--mesh <cells,…>", "cells per side").argParser(wholeNumbers).default([64, 128], "64,128"))
    .option("--particles <count>", "number of particles (default: one a cell)", wholeNumber)
    .choice("--distribution", "where the particles are", ["uniform", "plummer", "disk"])
    .choice("--assignment", "mass assignment", assignmentNames, "cic")
    .choice("--boundary", "boundary of the box", ["periodic", "isolated"])
    .choice("--deposit", "deposit method", ["auto", "sort", "atomic", "host"])
    .choice("--gradient", "gradient scheme", ["4-point", "2-point", "spectral"])
    .option("--levels <count>", "levels about the particles, one within the other (default: none)", wholeNumber)
    .option("--pairs", "with the pairs of P³M, of a softening of 0.05 cells")
    .choice("--formulation", "field equation, Newton's or of [mond]", ["none", "qumond", "aqual"])
    .option(
      "--time-step <time>",
      "of the unit box; the shorter, the less particles leave their cells",
      positiveOption,
      0.001,
    )
    .option("--steps <count>", "steps in a repetition (default: 64 on a GPU, 10 on a CPU)", wholeNumber)
    .option("--repetitions <count>", "the fastest counts", wholeNumber, 5)
    .option("--shapes", "a step with every shape of every kernel, too, and the pin of the best")
    .option("--json", "one JSON object a mesh size")
    .ending(["gravmesh bench stages --mesh 128 --distribution plummer"], AFTER_A_MEASUREMENT)
    .does(async () => (await import("./bench.ts")).stagesCommand);

  bench
    .command("view")
    .summary("time of a picture, compared with a step of the simulation")
    .description("Time of a live picture, compared with a step of the simulation that it shows, and its parts.")
    .option("--mesh <cells>", "cells per side", wholeNumber, 64)
    .option("--particles <count>", "number of particles", wholeNumber, 1_000_000)
    .choice("--distribution", "where the particles are", ["disk", "uniform", "plummer"])
    .choice("--boundary", "boundary of the box", ["isolated", "periodic"])
    .option("--width <pixels>", "of the picture", wholeNumber, 1024)
    .option("--height <pixels>", "of the picture", wholeNumber, 768)
    .choice("--quantity", "what is shown", ["all", ...QUANTITIES])
    .option("--repetitions <count>", "the median counts", wholeNumber, 9)
    .option("--json", "the table as JSON")
    .ending(["gravmesh bench view --particles 200000 --quantity density"])
    .does(async () => (await import("./bench.ts")).benchViewCommand);

  bench
    .command("force")
    .summary("error of the force of a point mass, by scheme and separation")
    .description("Force of a point mass through the whole pipeline, against Ewald's sum or the inverse square.")
    .option("--mesh <cells>", "cells per side", wholeNumber, 64)
    .choice("--boundary", "boundary of the box", ["periodic", "isolated"])
    .choice("--backend", "where to compute", ["webgpu", "cpu"])
    .option("--levels", "with levels in the mesh, compared with one mesh of their cells")
    .addOption(new Option("--pairs", "with the pairs of P³M, by TSC and CIC").conflicts("levels"))
    .option("--places <count>", "of the source, with levels", wholeNumber, 16)
    .option("--one-mesh <cells>", "cells per side of the mesh that levels are compared with, at most", wholeNumber, 128)
    .option("--json", "the table as JSON")
    .ending(
      ["gravmesh bench force --mesh 64", "gravmesh bench force --levels --boundary isolated"],
      AFTER_A_MEASUREMENT,
    )
    .does(async () => (await import("./bench.ts")).forceCommand);

  bench
    .command("mond")
    .summary("error of modified gravity where its answer is known in closed form")
    .description("Modified gravity through the whole step: spheres, Kuzmin's disk, two bodies, external field, virial.")
    .option("--mesh <cells>", "cells per side", wholeNumber, 64)
    .choice("--formulation", "field equation", ["qumond", "aqual"])
    .choice("--poisson", "linear solver", POISSON_METHODS)
    .choice("--backend", "where to compute", ["webgpu", "cpu"])
    .option("--json", "the table as JSON")
    .ending(["gravmesh bench mond --mesh 64"], AFTER_A_MEASUREMENT)
    .does(async () => (await import("./bench.ts")).mondCommand);

  bench
    .command("direct")
    .summary("interactions per second of the direct sum, by kernel shape")
    .description(
      "Interactions per second of the direct sum by kernel shape, precision and order, and what few targets cost " +
        "compared with their share of a full evaluation.",
    )
    .option("--targets <count>", "targets (default: as many as keep the adapter busy)", wholeNumber)
    .option("--sources <count>", "sources (default: likewise)", wholeNumber)
    .option("--all", "all shapes for jerk and snap, too: most of the time is the driver's compiler's")
    .option("--json", "the tables as JSON")
    .ending(["gravmesh bench direct --targets 16384 --sources 16384"])
    .does(async () => (await import("./bench.ts")).directCommand);

  addSuites(bench);

  gravmesh
    .command("help")
    .summary("print the help of a command")
    .description("Prints the help of a command, as its --help does.")
    .argument("[COMMAND...]", "its name; of a benchmark: bench and its name")
    .ending(["gravmesh help run"])
    .action((names: string[]) => namedCommand(gravmesh, names).help());
  return gravmesh;
}

/** The command that `names` lead to. Throws "usage" with the nearest name. */
function namedCommand(gravmesh: Command, names: readonly string[]): Command {
  return names.reduce((command, name) => {
    const found = command.commands.find((one) => one.name() === name);
    if (found) return found;
    const known = command.commands.map((one) => one.name());
    throw new GravmeshError(
      "usage",
      `gravmesh help: there is no command ${names.join(" ")}. ${adviceFor(name, known)}`.trim(),
    );
  }, gravmesh);
}

function adviceFor(name: string, known: readonly string[]): string {
  const near = nearestWord(name, known);
  if (near) return `Did you mean ${near}?`;
  return known.length > 0 ? `Expected one of ${known.join(", ")}.` : "";
}

/** Adds a command per suite; comes after the other subcommands of `bench`, which an unknown name may have meant. */
function addSuites(bench: Cli): void {
  for (const [id, { summary, description }] of Object.entries(SUITES)) {
    bench
      .command(id)
      .summary(summary)
      .description(
        `${description}\n\n` +
          "Prints the paper's figures next to ours; writes suite.json and suite.html. Each result is written as soon as it " +
          "is there: run the same command again to go on with the rest.",
      )
      .option("--quick", "less of everything: a few minutes on two cores without a GPU")
      .option("--out <folder>", `result folder (default: results/${id}, or results/${id}-quick)`)
      .option("--force", "measure everything again, and replace what the folder holds")
      .option("--json", "events on stdout, one JSON object a line")
      .ending(
        [`gravmesh bench ${id} --quick`],
        "Ctrl-C stops after the measurement and keeps what has been measured.",
        "Exit code 1: a measurement failed, the others are there.",
      )
      .does(async () => (await import("./suite.ts")).suiteCommand(id));
  }
  bench.on("command:*", ([name]: string[]) => {
    const known = bench.commands.map((command) => command.name());
    throw new GravmeshError("usage", `gravmesh bench ${name}: there is no such benchmark. ${adviceFor(name, known)}`);
  });
}
