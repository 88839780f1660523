/** Tries on `gravmesh amuse-worker`: calls that can't be, streams that are none, peers that don't listen or go. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Arguments, Peer, type Reply, request } from "../support/amuse.ts";
import { bin } from "../support/build.ts";
import type { Try } from "./try.ts";

type How = Parameters<typeof request>[2];
type Step = readonly [name: string | number, given?: Arguments, how?: How];
/** What the last of some calls comes to: an error, a return code that isn't 0, or neither. */
type Ending = "error" | "code" | "ok";

interface Started {
  peer: Peer;
  child: ChildProcess;
  ended: Promise<unknown>;
  said: () => string;
}

const { NaN: NAN, POSITIVE_INFINITY: INFINITE, MAX_VALUE: HUGE } = Number;

async function started(): Promise<Started> {
  let child!: ChildProcess;
  let text = "";
  const peer = await Peer.listen((port) => {
    child = spawn(process.execPath, [bin, "amuse-worker", String(port), "127.0.0.1", "--backend", "cpu"]);
    child.stderr!.on("data", (piece) => (text += piece));
  });
  return { peer, child, ended: once(child, "close"), said: () => text };
}

const traceIn = (text: string) =>
  /Unexpected error|\n\s+at |node:internal/.test(text) ? `a trace: ${text}` : undefined;

/** What is wrong with a reply, whatever was asked. */
function faultIn(name: string | number, { error, strings, doubles, callId }: Reply): string | undefined {
  if (callId !== 7) return `${name}: a reply to call ${callId}`;
  if (error && (strings.length !== 1 || strings[0] === "")) return `${name}: an error without a message`;
  if (!doubles.every(Number.isFinite)) return `${name} gave ${[...doubles].slice(0, 8)}`;
  return traceIn(strings.join("\n"));
}

/** One for all tries that leave it alive; it ends when its peer does, which is this process. */
let shared: Promise<Started> | undefined;
async function alive(): Promise<Started> {
  shared ??= started();
  const found = await shared;
  if (found.child.exitCode === null && found.child.signalCode === null) return found;
  shared = started();
  return shared;
}

async function faultOfCalls(steps: readonly Step[], ending: Ending): Promise<string | undefined> {
  const { peer, said, ended } = await alive();
  const gone = ended.then((how) => Promise.reject(new Error(`the worker ended with ${how}: ${said()}`)));
  gone.catch(() => {});
  const call = (...[name, given, how]: Step) => Promise.race([peer.call(name, given, how), gone]);
  await call("cleanup_code");
  let last: Reply | undefined;
  for (const step of steps) {
    last = await call(...step);
    const fault = faultIn(step[0], last);
    if (fault) return fault;
  }
  const found: Ending = last!.error
    ? "error"
    : last!.ints.slice(0, last!.calls).some((code) => code !== 0)
      ? "code"
      : "ok";
  if (found !== ending) return `expected ${ending}, found ${found}: ${last!.ints} ${last!.doubles} ${last!.strings}`;
  const after = await call("get_number_of_particles");
  return after.error ? `it doesn't go on: ${after.strings}` : undefined;
}

const calls = (name: string, ending: Ending, ...steps: Step[]): Try => ({
  name,
  run: () => faultOfCalls(steps, ending),
});

/** Bytes that are no message, after which it ends and says why in a line. */
function stream(name: string, says: RegExp, bytes: Uint8Array, then: "waits" | "closes" | "resets" = "waits"): Try {
  return {
    name,
    async run() {
      const { peer, child, ended, said } = await started();
      try {
        peer.send(bytes);
        if (then === "closes") peer.socket.end();
        if (then === "resets") setImmediate(() => peer.socket.resetAndDestroy());
        const [code] = (await ended) as [number];
        if (code !== 1 || !says.test(said())) return `exit code ${code}: ${said()}`;
        if (said().trim().split("\n").length !== 1) return `several lines: ${said()}`;
        return traceIn(said());
      } finally {
        child.kill("SIGKILL");
      }
    },
  };
}

/** A header with these words: call, function, calls, counts of int32, int64, float32, float64, bool, string, units. */
function header(words: readonly number[], flags = [0, 0, 0, 0]): Uint8Array {
  const bytes = new Uint8Array(44);
  const view = new DataView(bytes.buffer);
  bytes.set(flags);
  for (const [k, word] of words.entries()) view.setInt32(4 + 4 * k, word, true);
  return bytes;
}

/** Most memory that a process has had [MB]; 0 where the system doesn't say. */
function peakOf({ pid }: ChildProcess): number {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? Number(/VmHWM:\s*(\d+)/.exec(readFileSync(file, "utf8"))?.[1] ?? 0) / 1024 : 0;
}

const MOST_MEGABYTES = 450;
const tooMuch = (child: ChildProcess) =>
  peakOf(child) > MOST_MEGABYTES ? `it took ${peakOf(child).toFixed(0)} MB` : undefined;

const unread: Try = {
  name: "replies that are not read",
  async run() {
    const { peer, child } = await started();
    try {
      const [count, times] = [50_000, 160];
      await peer.call("new_particle", { doubles: new Float64Array(8 * count) }, { calls: count });
      const ids = request("get_state", { ints: Array.from({ length: count }, (_, i) => i) }, { calls: count });
      let read = 0;
      const all = new Promise<void>((resolve) => {
        peer.socket.removeAllListeners("data").on("data", ({ length }) => {
          read += length;
          if (read >= (times / 8) * (44 + (4 + 64) * count)) resolve();
        });
      });
      peer.socket.pause();
      for (let k = 0; k < times; k++) peer.send(ids);
      // Until it takes no more memory.
      for (let before = -1; peakOf(child) > before && before < 2 * MOST_MEGABYTES; ) {
        before = peakOf(child);
        await sleep(700);
      }
      const fault = tooMuch(child);
      if (fault) return fault;
      peer.socket.resume();
      await all;
      return undefined;
    } finally {
      child.kill("SIGKILL");
      peer.socket.destroy();
    }
  },
};

/** Announced, and not sent. */
const announced: Try = {
  name: "3e8 calls in a header",
  async run() {
    const { peer, child, ended, said } = await started();
    try {
      const word = new DataView(request("get_time", {}).buffer).getInt32(8, true);
      peer.send(header([7, word, 300_000_000, 0, 0, 0, 0, 0, 0, 0]));
      const how = await Promise.race([ended, peer.reply()]);
      if (Array.isArray(how) && !said().includes("counts from 0 up")) return `it ended with ${how}: ${said()}`;
      return tooMuch(child);
    } finally {
      child.kill("SIGKILL");
    }
  },
};

const particle = (...state: number[]): Step => ["new_particle", { doubles: state }];
const BODY = particle(1, 0, 0, 0, 1, 0, 0, 0);
const MESH: Step = ["set_parameter", { strings: ["gravity", "mesh"] }];
const SMALL: Step = ["set_parameter", { strings: ["mesh.cells", "16"] }];
const evolve = (time: number): Step => ["evolve_model", { doubles: [time] }];

const ODD = { NaN: NAN, infinite: INFINITE, "minus infinite": -INFINITE };
const odd = (what: string, make: (value: number) => Step[]): Try[] =>
  Object.entries(ODD).map(([name, value]) => calls(`${what}: ${name}`, "error", ...make(value)));

const KEYS = [
  "constructor.name",
  "__proto__",
  "toString",
  "particles.length",
  "title.length",
  "title.0",
  "particles.map",
];
const MORE_KEYS = [
  "",
  ".",
  "mesh.",
  "mesh.__proto__.cells",
  "particles.-1",
  "particles.99",
  "box.size.x",
  "x".repeat(9999),
];
const VALUES = {
  "mesh.cells": ["-1", "17", "1e9", "NaN", "", "{}", "[1"],
  "box.size": ["0", "-1", "nan", "inf", "1e400"],
};
const DECKS = {
  empty: "",
  noise: "\u0000\u0001\uffff",
  "half a table": "[mesh",
  cyclic: "a.b = 1\na = 2",
  long: "[".repeat(1e5),
};
const INT_MAX = 2 ** 31 - 1;
const NO_IDS = [-1, 0, 99, INT_MAX, -INT_MAX - 1];
const GETTERS = ["get_mass", "get_radius", "get_position", "get_velocity", "get_state", "delete_particle"];
const FUNCTIONS: Record<string, Arguments> = {
  evolve_model: { doubles: [1] },
  new_particle: { doubles: [1, 0, 0, 0, 0, 0, 0, 0] },
  get_mass: { ints: [0] },
  set_mass: { ints: [0], doubles: [1] },
  set_deck: { strings: ["title"] },
  set_parameter: { strings: ["box.size", "8"] },
  get_gravity_at_point: { doubles: [0, 0, 0, 0] },
};
const longer = (given: Arguments): Arguments => ({
  ...(given.ints && { ints: [...given.ints, 1] }),
  ...(given.doubles && { doubles: [...given.doubles, 1] }),
  ...(given.strings && { strings: [...given.strings, "1"] }),
});

export const amuseTries: readonly Try[] = [
  ...[1, -1, 12345, INT_MAX, -INT_MAX - 1].map((id) => calls(`function ${id}`, "error", [id])),
  ...Object.entries(FUNCTIONS).flatMap(([name, given]) => [
    calls(`${name} without arguments`, "error", [name]),
    calls(`${name} with one more`, "error", [name, longer(given)]),
    calls(`${name} with another type`, "error", [name, { ...given, booleans: [1] }]),
    calls(`${name} as two calls`, "error", [name, given, { calls: 2 }]),
    calls(`${name} as no call`, "error", [name, given, { calls: 0 }]),
    calls(`${name} with int64`, "error", [name, given, { longs: 3 }]),
  ]),
  calls("units beside a call", "ok", ["get_time", {}, { units: 9 }]),
  calls("a million calls without arguments", "error", ["get_time", {}, { calls: 1e6 }]),
  ...GETTERS.flatMap((name) => NO_IDS.map((id) => calls(`${name} of ${id}`, "code", [name, { ints: [id] }]))),
  calls(
    "particles deleted twice",
    "code",
    BODY,
    ["delete_particle", { ints: [0] }],
    ["delete_particle", { ints: [0] }],
  ),
  ...[-1, 1, 99, INT_MAX].map((k) =>
    calls(`stopping condition ${k}`, "code", ["enable_stopping_condition", { ints: [k] }]),
  ),
  calls("a particle of no condition", "code", ["get_stopping_condition_particle_index", { ints: [-1, -1] }]),
  ...odd("begin time", (time) => [["set_begin_time", { doubles: [time] }]]),
  ...odd("evolution to", (time) => [BODY, evolve(time)]),
  ...odd("evolution of nothing to", (time) => [evolve(time)]),
  ...odd("time step", (step) => [["set_time_step", { doubles: [step] }]]),
  ...odd("softening", (eps2) => [["set_eps2", { doubles: [eps2] }]]),
  ...odd("mass", (mass) => [particle(mass, 0, 0, 0, 0, 0, 0, 0)]),
  ...odd("position", (x) => [BODY, ["set_position", { ints: [0], doubles: [0, x, 0] }]]),
  ...odd("velocity", (v) => [BODY, ["set_velocity", { ints: [0], doubles: [0, 0, v] }]]),
  ...odd("radius", (radius) => [BODY, ["set_radius", { ints: [0], doubles: [radius] }]]),
  ...odd("point", (x) => [BODY, ["get_gravity_at_point", { doubles: [0, x, 0, 0] }]]),
  ...odd("timeout", (s) => [["set_stopping_condition_timeout_parameter", { doubles: [s] }]]),
  calls("a negative mass", "error", particle(-1, 0, 0, 0, 0, 0, 0, 0)),
  calls("a negative softening", "error", ["set_eps2", { doubles: [-1] }]),
  ...[0, -1, HUGE].map((step) => calls(`a step of ${step}`, "error", ["set_time_step", { doubles: [step] }])),
  calls("a negative number of steps", "error", ["set_stopping_condition_number_of_steps_parameter", { ints: [-5] }]),
  calls("an evolution into the past", "error", BODY, evolve(0.1), evolve(0.05)),
  calls(
    "steps that time doesn't tell apart",
    "error",
    ["set_begin_time", { doubles: [1e20] }],
    BODY,
    evolve(1e20 + 32768),
  ),
  calls("more steps than can be counted", "error", BODY, evolve(HUGE)),
  calls("speeds that leave the box in a step", "error", MESH, SMALL, particle(1, 0, 0, 0, HUGE, 0, 0, 0), evolve(1)),
  calls(
    "masses without a sum",
    "error",
    particle(1e300, 0, 0, 0, 0, 0, 0, 0),
    particle(1e300, 1e-5, 0, 0, 0, 0, 0, 0),
    evolve(1),
  ),
  ...[evolve(0), evolve(1), ["get_position", { ints: [0] }] as Step, ["commit_particles"] as Step, BODY].map((after) =>
    calls(
      `${after[0]} ${after[1]?.doubles ?? ""} after an evolution that failed`,
      "error",
      MESH,
      SMALL,
      particle(1, 0, 0, 0, HUGE, 0, 0, 0),
      evolve(1),
      after,
    ),
  ),
  calls("particles far outside", "error", MESH, particle(1, 1e300, 0, 0, 0, 0, 0, 0), ["commit_particles"]),
  ...[...KEYS, ...MORE_KEYS].map((key) =>
    calls(`the parameter ${key.slice(0, 20)}`, "error", ["get_parameter", { strings: [key] }]),
  ),
  ...KEYS.map((key) => calls(`setting ${key}`, "error", ["set_parameter", { strings: [key, "1"] }])),
  ...Object.entries(VALUES).flatMap(([key, values]) =>
    values.map((value) => calls(`${key} = ${value}`, "error", ["set_parameter", { strings: [key, value] }])),
  ),
  calls("another backend", "error", ["set_parameter", { strings: ["backend", "__proto__"] }]),
  ...Object.entries(DECKS).map(([name, deck]) => calls(`a deck: ${name}`, "error", ["set_deck", { strings: [deck] }])),
  ...["/nowhere/at/all", "", "/dev/null", "x".repeat(9999), "a\u0000b"].map((folder) =>
    calls(`the folder ${folder.slice(0, 20)}`, "error", ["set_working_directory", { strings: [folder] }]),
  ),
  stream(
    "a web page's request",
    /a byte order of 0 or 1/,
    new TextEncoder().encode(`GET / HTTP/1.1\r\nHost: ${"x".repeat(40)}\r\n\r\n`),
  ),
  stream("noise", /AMUSE's header/, new Uint8Array(100).fill(255)),
  ...[2, 4, 9].map((k) =>
    stream(`-1 in word ${k} of a header`, /counts from 0 up/, header([7, 1, 1, 0, 0, 0, 0, 0, 0, 0].with(k, -1))),
  ),
  ...[3, 6, 8].map((k) =>
    stream(`2e9 in word ${k}`, /counts from 0 up/, header([7, 1, 1, 0, 0, 0, 0, 0, 0, 0].with(k, 2e9))),
  ),
  stream("a text of -3 bytes", /lengths from 0 up/, withLength(-3)),
  stream("a text of 2e9 bytes", /lengths from 0 up/, withLength(2e9)),
  ...[0, 1, 43].map((bytes) =>
    stream(`${bytes} bytes and no more`, /gone without a word/, request("get_time", {}).subarray(0, bytes), "closes"),
  ),
  stream(
    "half a message",
    /gone without a word/,
    request("set_deck", { strings: ["title"] }).subarray(0, 50),
    "closes",
  ),
  stream("a reset in a message", /gone without a word/, request("get_time", {}).subarray(0, 30), "resets"),
  stream("a peer that goes after a call", /gone without a word/, request("get_time", {}), "resets"),
  announced,
  unread,
];

function withLength(length: number): Uint8Array {
  const bytes = request("set_deck", { strings: ["abc"] });
  new DataView(bytes.buffer).setInt32(44, length, true);
  return bytes;
}
