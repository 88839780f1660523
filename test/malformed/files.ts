/** Malformed files: decks, tables, snapshots and extensions that are no files or not theirs, damaged result folders. */
import type { Choice, MalformedCase, Setup } from "./case.ts";
import { goodDeck } from "./decks.ts";

/** What stands where a file should, at `path`. */
function strangers(path: string, choice: Choice): [title: string, setup: Setup[]][] {
  const noise = Buffer.from(Uint8Array.from({ length: 3000 }, () => choice.below(256))).toString("base64");
  return [
    ["a pipe", [{ fifo: path }]],
    ["a link to /dev/zero", [{ link: path, to: "/dev/zero" }]],
    ["a link to /dev/stdin", [{ link: path, to: "/dev/tty" }]],
    ["a link to /proc/self/mem", [{ link: path, to: "/proc/self/mem" }]],
    ["a link to /proc/kmsg", [{ link: path, to: "/proc/kmsg" }]],
    ["a link to itself", [{ link: path, to: path.split("/").at(-1)! }]],
    ["a link to nothing", [{ link: path, to: "nothing" }]],
    ["a folder", [{ folder: path }]],
    ["empty", [{ write: path, text: "" }]],
    ["a NUL", [{ write: path, text: "\u0000" }]],
    ["noise", [{ write: path, base64: noise }]],
    ["null", [{ write: path, text: "null" }]],
    ["5", [{ write: path, text: "5" }]],
    ["[]", [{ write: path, text: "[]" }]],
    ['{"a": {"b": 1}}', [{ write: path, text: '{"a": {"b": 1}}' }]],
    ["8 GB of zeros", [{ write: path, zeros: 8e9 }]],
    ["5 MB of zeros", [{ write: path, zeros: 5e6 }]],
    ["a line of 5 MB", [{ write: path, text: "1 ".repeat(25e5) }]],
    ["no text", [{ write: path, text: "\u001b[2J\u009b31m\n" }]],
  ];
}

const RUN = ["--backend", "cpu", "--out", "out", "--quiet"];
const SNAPSHOT = goodDeck().replace(/\[\[particles\]\][\s\S]*$/, '[[particles]]\nkind = "snapshot"\nfile = "s.hdf5"\n');
const SPECTRUM = `title = "T"
[units]
system = "cosmological"
[box]
size = 100
boundary = "periodic"
[mesh]
cells = 16
[[particles]]
kind = "lattice"
perSide = 16
[time]
clock = "comoving"
start = 0.5
end = 0.6
step = 0.05
[cosmology]
transfer = "file"
file = "power.dat"
[output]
snapshots = 1
diagnostics = 1
`;

/** Titles of a spectrum's columns, some of which mean nothing. */
const SPECTRUM_HEADERS = [
  ...["# k P", "k/h P", "# k (1/Mpc) T(k)", "# log k log P", "# ln(k ln(P", "# k [[1/Mpc] P ((((", "# k (1/Mpc", "#"],
  ...[
    "# 1: 2:",
    "# 1:k",
    "# k (Mpc^3) P (1/Mpc)",
    "# k/h Delta^2 (Mpc)",
    "# z = 1e999",
    "# z = 1, z = 2",
    "# k k",
    "# P k",
  ],
  ...[
    `# k ${"(".repeat(5000)} P`,
    `# ${"k ".repeat(30_000)}`,
    `# k P${" ".repeat(60_000)}x`,
    "# k \u001b[31m",
    "# sqrt(sqrt(k)) √P",
  ],
];

/** Of a run that was interrupted. */
const RUN_FILES = [
  "scenario.toml",
  "summary.json",
  "diagnostics.csv",
  "snapshot_000.hdf5",
  "checkpoint/state_000001.bin",
];

export function fileCases(choice: Choice): (() => MalformedCase)[] {
  const deck = (text: string): Setup => ({ write: "deck.toml", text });
  const cases: MalformedCase[] = [];
  const add = (kind: string, file: string, before: Setup[], args: string[]) => {
    for (const [title, setup] of strangers(file, choice)) {
      cases.push({ kind, title: `${file} is ${title}`, setup: [...before, ...setup], args });
    }
  };
  add("deck file", "deck.toml", [], ["run", "./deck.toml", ...RUN]);
  add("other file", "s.hdf5", [deck(SNAPSHOT)], ["run", "./deck.toml", ...RUN]);
  add("other file", "power.dat", [deck(SPECTRUM)], ["run", "./deck.toml", ...RUN]);
  for (const header of SPECTRUM_HEADERS) {
    const rows = Array.from({ length: 40 }, (_, i) => `${10 ** (i / 8 - 3)} ${choice.uniform()}`).join("\n");
    const setup = [deck(SPECTRUM), { write: "power.dat", text: `${header}\n${rows}\n` }];
    cases.push({ kind: "spectrum", title: header.slice(0, 60), setup, args: ["run", "./deck.toml", ...RUN] });
  }
  add("other file", "more.mjs", [deck(goodDeck())], ["run", "./deck.toml", ...RUN, "--extension", "more.mjs"]);
  add("result folder", "out", [deck(goodDeck())], ["run", "./deck.toml", ...RUN]);
  add("result folder", "out", [deck(goodDeck())], ["run", "./deck.toml", ...RUN, "--force"]);

  const particles: Setup = { write: "in.csv", text: "x,y,z,vx,vy,vz,mass\n1,2,3,0,0,0,1\n" };
  const onto = (file: string, before: Setup, args: string[]) => {
    for (const [title, setup] of strangers(file, choice)) {
      cases.push({ kind: "output", title: `${file} is ${title}`, setup: [before, ...setup], args, stays: file });
    }
  };
  onto("out.npy", particles, ["convert", "in.csv", "out.npy", "--force", "--quiet"]);
  onto("out/report.html", deck(goodDeck()), ["run", "./deck.toml", ...RUN, "--force"]);
  onto("out/validate.csv", deck(goodDeck()), ["validate", "./deck.toml", ...RUN, "--force"]);

  for (const command of [
    ["--resume", "out", "--member", "0"],
    ["--collect", "out"],
  ]) {
    add("ensemble record", "out/ensemble.json", [], ["ensemble", ...command, "--quiet"]);
  }
  const resume = ["run", "--resume", "out", "--quiet"];
  const run: Setup = { run: "out" };
  for (const file of RUN_FILES) {
    const path = `out/${file}`;
    const damage = (title: string, ...setup: Setup[]) =>
      cases.push({ kind: "damaged run", title: `${file} ${title}`, setup: [run, ...setup], args: resume });
    for (const [title, setup] of strangers(path, choice)) damage(`is ${title}`, { remove: path }, ...setup);
    damage("is gone", { remove: path });
    for (let i = 0; i < 6; i++) {
      const [keep, at] = [choice.uniform(), choice.uniform()];
      damage(`is cut at ${keep.toFixed(3)}`, { cut: path, keep });
      damage(`has a wrong byte at ${at.toFixed(3)}`, { flip: path, at });
    }
  }
  const also = (title: string, setup: Setup[], ...args: string[]) =>
    cases.push({ kind: "damaged run", title, setup: [run, ...setup], args: [...resume, ...args] });
  also("a checkpoint of a huge number", [{ write: "out/checkpoint/state_99999999999999999999.bin", text: "x" }]);
  also("a checkpoint that is a pipe", [{ fifo: "out/checkpoint/state_000009.bin" }]);
  also("a checkpoint that is a folder", [{ folder: "out/checkpoint/state_000009.bin" }]);
  also("a checkpoint that is /dev/zero", [{ link: "out/checkpoint/state_000009.bin", to: "/dev/zero" }]);
  also("no checkpoints", [{ remove: "out/checkpoint" }]);
  also("checkpoints are a file", [{ remove: "out/checkpoint" }, { write: "out/checkpoint", text: "" }]);
  also("checkpoints are a link to itself", [
    { remove: "out/checkpoint" },
    { link: "out/checkpoint", to: "checkpoint" },
  ]);
  also("a lock that is noise", [{ write: "out/.gravmesh-lock-1", text: "\u0000" }]);
  also("a lock that is a pipe", [{ fifo: "out/.gravmesh-lock-1" }]);
  also("a lock that is a folder", [{ folder: "out/.gravmesh-lock-1" }]);
  also("a report that is a folder", [{ folder: "out/report.html" }]);
  return cases.map((one) => () => one);
}
