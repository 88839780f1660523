/** What a worker is told before it gets particles: a deck, entries that override it, where to compute. */
import { parse } from "smol-toml";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { tablesOf } from "../../foundation/deck/kinds.ts";
import { parseScenario } from "../../scenario/parse.ts";
import { deckValue, unknownKey } from "../../scenario/problems.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { BackendChoice } from "../../scenario/simulation/simulation.ts";

/** Direct sums, to which box and mesh don't matter. */
const DEFAULT_DECK = `title = "AMUSE"
gravity = "direct"
[box]
size = 16
[mesh]
cells = 64
[time]
end = 64
step = 0.0625
`;
/** A deck has particles, of which AMUSE takes none unless it asks for them. */
const NO_PARTICLES = '\n[[particles]]\nkind = "plummer"\ncount = 1\nmass = 1\nscale = 1\n';
/** Runs of AMUSE's have no end: this one is far enough for any check of the step. */
const STEPS = 1024;

const BACKENDS: readonly BackendChoice[] = ["auto", "webgpu", "cpu"];

export class AmuseParameters {
  #text = DEFAULT_DECK;
  #overrides = new Map<string, string>();
  #scenario: Scenario | undefined;
  /** Whether the deck itself has particles. */
  hasParticles = false;
  #eps2 = 0;

  constructor(public backend: BackendChoice) {}

  /** The deck with its overrides. Throws "scenario". */
  get scenario(): Scenario {
    this.#scenario ??= parsed(withParticles(this.#text).text, this.#overrides);
    return this.#scenario;
  }

  /** A whole deck instead of what there was. Throws "scenario", and then all stays as it was. */
  setDeck(given: string): void {
    const { text, own } = withParticles(given);
    this.#scenario = parsed(text, new Map());
    this.#text = given;
    this.hasParticles = own;
    this.#overrides = new Map();
  }

  /** An entry of the deck, as `gravmesh run DECK key=value` has it, or "backend". Throws "scenario", or "usage". */
  set(key: string, value: string): void {
    if (key === "backend") {
      const chosen = BACKENDS.find((one) => one === value);
      if (!chosen) throw new GravmeshError("usage", `backend: expected ${BACKENDS.join(", ")}, found ${value}`);
      this.backend = chosen;
      return;
    }
    const overrides = new Map(this.#overrides);
    overrides.delete(key); // the last one given is the last one applied
    overrides.set(key, value);
    this.#scenario = parsed(withParticles(this.#text).text, overrides);
    this.#overrides = overrides;
  }

  get(key: string): string {
    if (key === "backend") return this.backend;
    const parts = key.split(".");
    let value: unknown = this.scenario;
    for (const part of parts) {
      const named = ({ name, kind }: { name?: string; kind?: string }) => name === part || kind === part;
      value = deckValue(value, [part]) ?? (Array.isArray(value) ? value.find(named) : undefined);
    }
    if (value === undefined) throw new GravmeshError("usage", unknownKey(parts, {}).message);
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  /** Table of the deck that has the softening. */
  get #softened(): "p3m" | "direct" {
    return this.scenario.gravity === "p3m" ? "p3m" : "direct";
  }

  /** ε² of direct sums, or of P³M [length²]; what was set comes back to the bit. */
  get eps2(): number {
    const { softening } = this.scenario[this.#softened];
    return Math.sqrt(this.#eps2) === softening ? this.#eps2 : softening * softening;
  }

  set eps2(value: number) {
    this.set(`${this.#softened}.softening`, String(Math.sqrt(value)));
    this.#eps2 = value;
  }
}

function parsed(text: string, overrides: ReadonlyMap<string, string>): Scenario {
  const texts = Array.from(overrides, ([key, value]) => `${key}=${value}`);
  const step = Number(overrides.get("time.step"));
  if (step > 0 && !overrides.has("time.end")) texts.push(`time.end=${STEPS * step}`);
  const scenario = parseScenario(text, { file: "deck", overrides: texts });
  if (scenario.time.clock === "static") return scenario;
  const found = `time.clock = "${scenario.time.clock}"`;
  throw new GravmeshError(
    "scenario",
    `deck: expected time.clock = "static", found ${found}: AMUSE's time is no scale factor`,
  );
}

/** The deck with particles, and whether it had some. */
function withParticles(text: string): { text: string; own: boolean } {
  let own = true;
  try {
    own = tablesOf(parse(text), "particles").length > 0;
  } catch {
    // It is no TOML, which is said where it is read.
  }
  return { text: own ? text : text + NO_PARTICLES, own };
}
