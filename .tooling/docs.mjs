// Writes the documentation that follows from the code: docs/scenarios.md from the schema, scenarios/README.md from
// the decks, docs/commands.md from the command line, docs/summary.md from the keys of summary.json,
// docs/diagnostics.md from the lists of outputs and columns; lines of files in docs/architecture.md; the units that the
// Python package gives to columns.
// `--check` writes nothing and exits 1 when a file is stale.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { esbuildWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The TypeScript modules that hold the facts, bundled and imported. */
async function scenarioModules() {
  const result = await build({
    stdin: {
      contents: [
        ...["scenario", "parse", "deck"].map((name) => `./src/scenario/${name}.ts`),
        ...["keys", "mesh-sizes", "units"].map((name) => `./src/foundation/deck/${name}.ts`),
        "./src/engine/time/settings.ts",
      ]
        .map((path) => `export * from "${path}";`)
        .join("\n"),
      resolveDir: root,
    },
    bundle: true,
    plugins: [esbuildWgsl],
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  const source = Buffer.from(result.outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${source}`);
}

/** The command line's modules; their packages are resolved from a file inside the project. */
async function commandModules() {
  const file = join(root, "node_modules/.cache", `gravmesh-docs-${process.pid}.mjs`);
  const from = (path) => `export * from "./src/${path}.ts";`;
  const stdin = {
    contents: [
      ...[
        "doors/cli/program",
        "doors/cli/convert",
        "doors/cli/snapshot-spectra",
        "studio/movie/movie",
        "study/ensemble/events",
        "study/ensemble/collect/tables",
      ],
      ...["run/summary", "run/events", "engine/diagnostics/columns", "engine/diagnostics/bar-strength"],
      ...["run/outputs/index", "run/outputs/galaxies"],
    ]
      .map(from)
      .join("\n"),
    resolveDir: root,
  };
  // Loaded by commands that aren’t run here.
  const external = [
    "./run",
    "./convert",
    "./snapshot-spectra",
    "./compare",
    "./validate",
    "./doctor",
    "./bench",
    "./suite",
    "./movie",
    "./ensemble",
    "./view",
  ].map((path) => `${path}.ts`);
  const options = {
    bundle: true,
    plugins: [esbuildWgsl],
    packages: "external",
    platform: "node",
    format: "esm",
    write: false,
    external,
  };
  const { outputFiles } = await build({ ...options, stdin, logLevel: "error" });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, outputFiles[0].contents);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
}

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const row = (cells) => `| ${cells.map(cell).join(" | ")} |`;
const table = (head, rows) => [row(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(row)].join("\n");

const GENERATED = "<!-- Written by .tooling/docs.mjs; edit the source, then run `node .tooling/docs.mjs`. -->";

function defaultOf(schema, info, code) {
  if (info.derived)
    return info.derived.text.startsWith("required") ? `**required**${info.derived.text.slice(8)}` : info.derived.text;
  const result = schema.safeParse(undefined);
  if (result.success && result.data === undefined) return "none";
  if (!result.success) return "**required**";
  return `\`${code.tomlValue(result.data, info.integer)}\``;
}

function keyTable(shape, code, skip = [], byKind = () => false) {
  const rows = Object.entries(shape).flatMap(([key, schema]) => {
    const info = code.keyInfo(schema);
    if (!info || skip.includes(key)) return [];
    const fallback = byKind(key) ? "by kind" : defaultOf(schema, info, code);
    return [[`\`${key}\``, info.type, fallback, info.unit ? `[${info.unit}]` : "", info.meaning]];
  });
  return table(["key", "type", "default", "unit", "meaning"], rows);
}

function keysPage(code) {
  const { headerTable, sections, deckOrder, unitSystems } = code;
  const section = (name) =>
    `## \`[${name}]\`\n${sections[name].description}.\n\n${keyTable(sections[name].shape, code)}`;
  /** An array of tables that all have the same keys, and those of the tables in them. */
  const plainSection = ({ name, about, schema: { shape } }) => {
    const inner = Object.entries(shape).flatMap(([key, schema]) => {
      const own = code.keyInfo(schema)?.inner;
      return own ? [`### \`${key} = { … }\`\n${keyTable(own, code)}`] : [];
    });
    return [`## \`[[${name}]]\`\n${about}.\n\n${keyTable(shape, code)}`, ...inner].join("\n\n");
  };
  /** An array of tables: the keys that all its kinds have, then those of each. */
  const kindSection = ({ name, about, kinds: { records } }) => {
    const [first, ...others] = records.map(({ schema }) => schema);
    const meaning = ({ shape }, key) => shape[key] && code.keyInfo(shape[key])?.meaning;
    const isCommon = (key) => key !== "kind" && others.every((schema) => meaning(schema, key) === meaning(first, key));
    const common = Object.keys(first.shape).filter(isCommon);
    const defaultIn = (schema, key) => defaultOf(schema.shape[key], code.keyInfo(schema.shape[key]), code);
    const differs = (key) => others.some((schema) => defaultIn(schema, key) !== defaultIn(first, key));
    const shared = Object.fromEntries(common.map((key) => [key, first.shape[key]]));
    const kindPart = (schema, kind) => {
      const defaults = common.filter(differs).map((key) => `\`${key}\` is ${defaultIn(schema, key)} by default.\n`);
      const said = schema.shape.count ? defaults.join("") : "";
      return `### \`kind = "${kind}"\`\n${schema.description}.\n${said}\n${keyTable(schema.shape, code, common)}`;
    };
    return `## \`[[${name}]]\`
${about}. Every kind has these keys and \`kind\`:

${keyTable(shared, code, [], differs)}

${records.map((record) => kindPart(record.schema, record.name)).join("\n\n")}`;
  };
  const unitRows = unitSystems.map(({ name, labels, G, timeInGyr, snapshot }) => [
    `\`${name}\``,
    ...(timeInGyr === undefined
      ? ["free", "free", "free", "free", "1"]
      : [
          labels.length,
          labels.mass,
          labels.velocity,
          `${labels.time} = ${timeInGyr.toPrecision(6)} Gyr${labels.length.endsWith("/h") ? "/h" : ""}`,
          G.toPrecision(10),
        ]),
    [snapshot.UnitLength_in_cm, snapshot.UnitMass_in_g, snapshot.UnitVelocity_in_cm_per_s]
      .map((x) => x.toPrecision(6))
      .join(", "),
  ]);
  const sizes = code.meshSizes.filter((size) => size <= 1024).join(", ");
  const after = {
    mesh: `Valid \`cells\`: ${sizes}, and so on up to ${code.LARGEST_MESH}.`,
    units: `| system | length | mass | velocity | time | G | snapshot units: cm, g, cm/s |
|---|---|---|---|---|---|---|
${unitRows.map(row).join("\n")}

G follows from the nominal solar mass parameter (IAU 2015 B3) and the parsec (IAU 2012 B2); grams also from CODATA 2018.
Snapshots of cosmological runs are in kpc/h, because yt assumes that for every GADGET file. Those of \`nbody\` runs hold the
deck's numbers; since readers require physical units, they declare kpc, 10¹⁰ M☉ and the velocity that makes G = 1 with
them, so that quantities derived with the physical G are right.`,
  };
  // Every table of the schema, in the order of a deck: none can be left out here.
  const parts = deckOrder.map((part) =>
    typeof part === "string"
      ? [section(part), after[part]].filter(Boolean).join("\n\n")
      : "schema" in part
        ? plainSection(part)
        : kindSection(part),
  );

  return `${GENERATED}
# Scenario decks

A deck is a TOML file: a header, one table a section, one \`[[particles]]\` table a component. Unknown keys are errors, and
so are missing keys, wrong types and impossible values; the message gives file, line, key, what was expected, what was found
and what to try. Ready-made decks are listed in [scenarios/README.md](../scenarios/README.md).

A deck is a regular file of at most 4 MiB of UTF-8 text, with at most 1000 tables of a kind.

Any entry can be overridden on the command line with \`key=value\`:

\`\`\`sh
gravmesh run disk mesh.cells=128 time.end=10        # a section's key
gravmesh run disk particles.disk.count=2_097_152    # a component by its name, or its kind if unique
gravmesh run disk particles[0].toomreQ=1.5          # or by its position; particles.0.toomreQ is the same
gravmesh run merger 'particles."my disk".mass=2'    # a part of a key may be quoted, as in TOML
gravmesh run disk seed=2                            # other random numbers: shifts the seeds of all components
\`\`\`

The value is TOML; anything else is taken as a string, so quotes may be omitted (\`mesh.assignment=tsc\`).
The result folder's \`scenario.toml\` is the complete deck as run.

## Header
Above the first table.

${keyTable(headerTable.shape, code)}

${parts.join("\n\n")}
`;
}

function decksPage(code) {
  const folder = join(root, "scenarios");
  const rows = readdirSync(folder)
    .filter((name) => name.endsWith(".toml"))
    .sort()
    .map((name) => {
      const deck = code.parseScenario(readFileSync(join(folder, name), "utf8"), { file: `scenarios/${name}` });
      const count = deck.particles.reduce((sum, one) => sum + (one.count ?? 0), 0);
      const steps = String(code.fixedSteps(deck) ?? "adaptive");
      return [
        `[\`${name.replace(/\.toml$/, "")}\`](${name})`,
        deck.title,
        code.tomlValue(count, true).replaceAll("_", " "),
        deck.gravity === "direct" ? "direct sum" : `${deck.mesh.cells}³ ${deck.box.boundary}`,
        steps,
        deck.reference,
        deck.expect,
      ];
    });
  return `${GENERATED}
# Scenarios

\`gravmesh run NAME\` evolves one of these; any entry can be overridden, \`gravmesh run disk mesh.cells=128\`.
All keys are described in [docs/scenarios.md](../docs/scenarios.md).

${table(["name", "title", "particles", "mesh", "steps", "reference", "what to expect"], rows)}
`;
}

/** Help texts of all commands, as the terminal shows them. */
function commandsPage({ program }) {
  const gravmesh = program();
  const every = (command) => [command, ...command.commands.flatMap(every)];
  const names = (command) => (command.parent ? [...names(command.parent), command.name()] : [command.name()]);
  const helpOf = (command) => {
    let text = "";
    command.configureOutput({
      writeOut: (part) => (text += part),
      getOutHelpWidth: () => 100,
      getOutHasColors: () => false,
    });
    command.outputHelp();
    return text.trimEnd();
  };
  const parts = every(gravmesh).map(
    (command) => `## ${names(command).join(" ")}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``,
  );
  return `${GENERATED}
# Commands

Every command has \`--help\`. Exit codes: 0 success, 1 a failed run, 2 a usage or scenario error, 130 stopped by Ctrl-C
with a checkpoint, 141 the reader of stdout is gone. Warnings and errors go to stderr.

Environment variables:

- \`GRAVMESH_DEBUG=1\` shows the driver's own messages.
- \`GRAVMESH_ADAPTER=NAME\` takes the adapter with that in its name where there are several.
- \`GRAVMESH_WITHOUT=subgroups,timestamp-query,raised-limits\`, or some of them, ignores features of the adapter, to avoid a
  driver's fault or to test a less capable device: \`gravmesh doctor\` shows the rest. \`software-kernels\` runs the kernels for
  GPUs on a software adapter.
- \`GRAVMESH_SHAPES="stage=shape; …"\` takes other [kernel shapes](performance.md#kernel-shapes) than the default ones; no result
  depends on them.
- \`GRAVMESH_SOLVERS=each\` or \`one\` decides [which ranks solve the mesh](clusters.md#who-solves).
- \`GRAVMESH_WINDOWS="planes=16, particles=1000000"\` divides mesh and particles into smaller [pieces](large-runs.md#in-pieces)
  than the adapter needs; no result depends on them either.

${parts.join("\n\n")}
`;
}

/** The summary's keys and the events of --json. */
function summaryPage({ SUMMARY_KEYS, EVENTS, ENSEMBLE_EVENTS, MOVIE_EVENTS, CONVERT_EVENTS, SPECTRA_EVENTS }) {
  const heads = ["event", "when, and its content"];
  const rows = (texts) => Object.entries(texts).map(([name, text]) => [`\`${name}\``, text]);
  return `${GENERATED}
# summary.json

Written when a run ends or is interrupted. Keys are stable: later versions add some and change none.
[time] is in the deck's units.

${table(["key", "what"], rows(SUMMARY_KEYS))}

# Events

\`gravmesh run --json\` writes one JSON object a line to stdout; \`event\` names it.

${table(heads, rows(EVENTS))}

\`gravmesh ensemble --json\`; with \`--member\` those of a run, and \`skipped\`:

${table(heads, rows(ENSEMBLE_EVENTS))}

\`gravmesh movie --json\`, with \`error\` as above:

${table(heads, rows(MOVIE_EVENTS))}

\`gravmesh convert --json\`:

${table(heads, rows(CONVERT_EVENTS))}

\`gravmesh spectra --json\`:

${table(heads, rows(SPECTRA_EVENTS))}
`;
}

/** What a run leaves, what it follows, and how to add to both. */
function diagnosticsPage({ columns, outputs }) {
  const fileText = (file) =>
    typeof file === "string" ? `\`${file}\`` : `\`${file.source.replace(/[\\^$]/g, "").replace("d{3,}", "000")}\` …`;
  const files = outputs().map(({ files, meaning }) => [files.map(fileText).join(", "), meaning]);
  const rows = columns.records.map(({ name, heads, unit, meaning, chart }) => [
    heads === null
      ? ""
      : [heads]
          .flat()
          .map((head) => `\`${head}\``)
          .join(", "),
    `\`${name}\``,
    unit && `[${unit}]`,
    meaning,
    chart ? `${chart.title}${chart.only ? `, ${chart.only} only` : ""}` : "",
  ]);
  const example = (name) => `\`\`\`js\n${readFileSync(join(root, "docs/examples", name), "utf8").trim()}\n\`\`\``;
  return `${GENERATED}
# What a run writes

${table(["file", "what"], files)}

\`checkpoint/\` holds the two newest exact states, for \`--resume\`, and \`run.json\`, the run's settings, in case it is killed
before its first checkpoint. While a command writes into a folder, \`.gravmesh-lock-1\` there names its process; others are
refused until it has ended in any way.

## Columns of diagnostics.csv

A row at the start and at every diagnostics output. The library, \`--json\` events and a column's own code use the second
name; \`await simulation.diagnostics()\` has them all, and the sums behind them. Units are the deck's. The report, and the pages of
\`compare\` and \`validate\`, draw the columns that have a chart against time.

${table(["column", "name", "unit", "what", "chart"], rows)}

## Your own column

\`--extension FILE\` of \`run\`, \`compare\` and \`validate\` loads a JavaScript module before the deck is read. In such a module
\`"gravmesh"\` is the running package, wherever the file is. A column follows from the sums of a state, those of the initial
state, and the time:

${example("bulk-speed.mjs")}

## Your own output

A writer has a function for each time of writing: \`onRow(row)\` gets each row of diagnostics during the run,
\`atDiagnostics(row)\` with the particles of the row, for which the run stops; \`atSnapshot({ index, time, blocks })\`;
\`atMaps({ index, time })\` where the deck has maps ([maps.md](maps.md)); \`atEnd(summary)\` of a complete run, then
\`beforeStop()\` and \`atStop(summary)\`, also of an interrupted one. \`lines\` opens a text file that a resumed run continues; the
module writes other files itself, into \`folder\`: \`needs\` names those without which a run can't be resumed, \`beforeSteps()\` may
read them again. The result of \`keep()\` is in the checkpoint, and comes back as \`kept\`. \`blocks(want)\` gives the particles in
blocks of ids, so that any number of them takes little memory, \`await particles(want)\` all of them in arrays; \`want\` may
request \`potential\` and \`accelerations\`. \`activity(what)\` names slow work on the terminal.

${example("extent.mjs")}

A resumed run loads its original modules; \`--extension\` with \`--resume\` gives their new place. Your own program calls the same
functions before it makes a \`Simulation\`.
`;
}

const linesOf = (file) => readFileSync(join(root, file), "utf8").split("\n").length - 1;

/** docs/architecture.md with the lines of the files in its reading order, row by row and together. */
function architecturePage() {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [before, order, ...after] = page.split(/(?=\n## (?:A reading order|Where is))/);
  const counted = order.split(/(?=\n\n(?:The whole|Then the same))/).map((part) => {
    const files = [];
    const rows = part.replace(/^\| (.*?) \| \d+ \|$/gm, (_, named) => {
      const own = [...named.matchAll(/`([\w/.-]+\.(?:ts|wgsl))`/g)].map(([, file]) => file);
      files.push(...own);
      return `| ${named} | ${own.reduce((sum, file) => sum + linesOf(file), 0)} |`;
    });
    const lines = files.reduce((sum, file) => sum + linesOf(file), 0).toLocaleString("en");
    const scripts = files.filter((file) => file.endsWith(".ts")).length;
    return rows.replace(/[\d,]+ lines/, `${lines} lines`).replace(/\d+ files/, `${scripts} files`);
  });
  return [before, counted.join(""), ...after].join("");
}

/** The dimensions of the columns of a run's csv files, those of galaxies.csv behind the galaxy's name; and what units are called. */
function columnUnits({ unitSystems }, { TABLES, columns, BAR_COLUMNS, galaxyHeads }) {
  const heads = {
    diagnostics: columns.records.flatMap((column) => column.heads ?? []),
    bars: BAR_COLUMNS.map(({ name }) => name),
    galaxies: galaxyHeads(["a", "b"]).map((head) => head.replace(/.*\./, "")),
    components: galaxyHeads(["a"]).map((head) => head.replace(/.*\./, "")),
  };
  const dimensions = Object.fromEntries(Object.keys(unitSystems[0].labels).map((name) => [name, name]));
  const unitsOf = ({ name, file, quantity }) => {
    const units = heads[name].map((head) => [head, quantity(head, dimensions).unit]);
    return [file, Object.fromEntries(units.filter(([, unit]) => unit))];
  };
  const labels = Object.fromEntries(unitSystems.map((system) => [system.name, system.labels]));
  return `${JSON.stringify({ labels, ...Object.fromEntries(TABLES.map(unitsOf)) }, undefined, 2)}\n`;
}

const code = await scenarioModules();
const commands = await commandModules();
const pages = {
  "docs/architecture.md": architecturePage(),
  "docs/scenarios.md": keysPage(code),
  "scenarios/README.md": decksPage(code),
  "docs/commands.md": commandsPage(commands),
  "docs/summary.md": summaryPage(commands),
  "docs/diagnostics.md": diagnosticsPage(commands),
  "src/doors/python/gravmesh/columns.json": columnUnits(code, commands),
};
const check = process.argv.includes("--check");
for (const [path, text] of Object.entries(pages)) {
  const file = join(root, path);
  let current = "";
  try {
    current = readFileSync(file, "utf8");
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  if (current === text) continue;
  if (check) {
    console.error(`${path} is stale: run \`node .tooling/docs.mjs\` and commit the result`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
  }
}
