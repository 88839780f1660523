/** Recipes of the documentation read files that the decks and commands beside them write, and its decks run as they are. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { outputs as runOutputs } from "../../src/run/outputs/index.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { scenarioWarnings } from "../../src/scenario/remarks.ts";
import { scheduleOf } from "../../src/scenario/timetables.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const SNAPSHOT = /results\/([a-z0-9-]+)\/snapshot_(\d{3})\.hdf5/g;

/** The number of a shipped deck's last snapshot; undefined for a folder that isn't a deck's. */
function lastOf(deck: string): number | undefined {
  const file = join(root, "scenarios", `${deck}.toml`);
  if (!existsSync(file)) return undefined;
  const { outputs } = scheduleOf(parseScenario(readFileSync(file, "utf8"), { file }));
  return outputs.filter(({ snapshot }) => snapshot).length - 1;
}

const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);
const textOf = (page: string) => readFileSync(join(root, page), "utf8");

/** `deck` as a page's own commands change it, and as it ships. */
function variantsOf(page: string, deck: string) {
  const file = join(root, "scenarios", `${deck}.toml`);
  const commands = [...textOf(page).matchAll(new RegExp(`gravmesh run ${deck}((?: [\\w.]+=[^\\s\`]+)*)`, "g"))];
  return [[], ...commands.map(([, words]) => words.split(" ").filter(Boolean))].flatMap((overrides) => {
    try {
      return [parseScenario(readFileSync(file, "utf8"), { file, overrides })];
    } catch {
      return []; // a part of a command, for the reader to complete
    }
  });
}

it("read maps, bars and other files of a run that a deck or a command of the page writes", () => {
  const named = pages.flatMap((page) =>
    [...textOf(page).matchAll(/results\/([a-z0-9-]+)\/(\w+\.(?:hdf5|csv))/g)].flatMap(([path, deck, name]) => {
      const output = runOutputs().find(({ files }) => files.includes(name));
      return output && existsSync(join(root, "scenarios", `${deck}.toml`)) ? [{ page, path, deck, output }] : [];
    }),
  );
  expect(named.length).toBeGreaterThan(3);
  const lacking = named.filter(
    ({ page, deck, output }) => !variantsOf(page, deck).some((scenario) => output.has?.(scenario) ?? true),
  );
  expect(lacking.map(({ page, path }) => ({ page, path }))).toEqual([]);
});

it("give decks that ship entries that these have", () => {
  const words =
    /gravmesh (?:run|validate|compare|ensemble) ([a-z0-9-]+)((?: +(?:"[^"\n]*"|'[^'\n]*'|[\w.]+=[^\s`)'"]+))*)/g;
  let tried = 0;
  for (const page of pages) {
    for (const [command, deck, given] of textOf(page).replaceAll("\\\n", " ").matchAll(words)) {
      const file = join(root, "scenarios", `${deck}.toml`);
      if (!existsSync(file)) continue;
      const overrides = [...given.matchAll(/"([^"\n]*)"|'([^'\n]*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);
      // A seed of the whole run is the command's own.
      const ofDeck = overrides.filter((one) => one.includes("=") && !one.startsWith("seed="));
      expect(() => parseScenario(readFileSync(file, "utf8"), { file, overrides: ofDeck }), command).not.toThrow();
      tried++;
    }
  }
  expect(tried).toBeGreaterThan(60);
});

it("whole decks are accepted, and nothing in them is too small for their mesh", () => {
  const decks = pages.flatMap((page) =>
    [...textOf(page).matchAll(/^```toml\n([\s\S]*?)^```$/gm)].map(([, text]) => ({ page, text })),
  );
  const whole = decks.filter(({ text }) => /^title *=/m.test(text));
  expect(whole.length).toBeGreaterThan(3);
  for (const { page, text } of whole) expect(scenarioWarnings(parseScenario(text, { file: page })), page).toEqual([]);
});

it("name no snapshot that a deck doesn't write", () => {
  const named = pages
    .flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(SNAPSHOT)].map(([path, deck, number]) => ({
        ...{ page, path, number: Number(number), last: lastOf(deck) },
      })),
    )
    .filter(({ last }) => last !== undefined);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter(({ number, last }) => number > last!)).toEqual([]);
});
