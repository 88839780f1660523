// The decks that the live page comes with: their texts, pictures, and decks.json with what the gallery says of them.
// src/doors/site/bundled.ts has what isn't in the decks themselves; an entry there that fits no deck, or a deck without one, is an
// error of the build.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { esbuildWgsl } from "./wgsl-plugin.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function modules() {
  const from = (path) => `export * from "./src/${path}.ts";`;
  const contents = ["scenario/parse", "physics/initial/components", "doors/site/bundled", "doors/site/decks"]
    .map(from)
    .join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    plugins: [esbuildWgsl],
    write: false,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Made by .tooling/pictures.mjs; the card of a deck without one is dark. */
const pictureOf = (name) => join(root, "docs/gallery", `${name}.webp`);

function sizeOf({ particles, mesh, gravity }) {
  const count = particles.reduce((sum, one) => sum + one.count, 0);
  return { particles: count, ...(gravity === "direct" ? {} : { cells: mesh.cells }) };
}

/** Entries of decks.json, in the order of the gallery. */
export async function deckIndex() {
  const { SHOWN, parseScenario, isRigid, leftOutFirst } = await modules();
  const names = readdirSync(join(root, "scenarios")).flatMap((file) => /^(.*)\.toml$/.exec(file)?.[1] ?? []);
  const missing = names.filter((name) => !SHOWN.some((shown) => shown.name === name));
  if (missing.length > 0) throw new Error(`src/doors/site/bundled.ts has no entry for ${missing.join(", ")}`);
  return SHOWN.map(({ name, group, line, gentle = {}, small, camera, look = {} }) => {
    const text = readFileSync(join(root, "scenarios", `${name}.toml`), "utf8");
    const parsed = (entries) => {
      const overrides = Object.entries(entries).map(([key, value]) => `${key}=${value}`);
      return parseScenario(text, { file: name, overrides });
    };
    const deck = parsed({});
    const [whole, less] = [sizeOf(deck), sizeOf(parsed(gentle))];
    parsed(small);
    return {
      ...{ name, title: deck.title, reference: deck.reference ?? "", line, group, ...whole },
      ...{ gentle, gentleParticles: less.particles, gentleCells: less.cells, small },
      camera: { azimuth: 0, elevation: 90, share: 1, ...camera },
      look: {
        hidden: leftOutFirst(
          deck.particles.filter((one) => !isRigid(one)),
          look.quantity,
        ),
        ...look,
      },
      picture: existsSync(pictureOf(name)),
    };
  });
}

/** Into the page's folder. */
export async function writeDecks(folder) {
  const index = await deckIndex();
  mkdirSync(join(folder, "decks"), { recursive: true });
  mkdirSync(join(folder, "pictures"), { recursive: true });
  for (const { name, picture } of index) {
    copyFileSync(join(root, "scenarios", `${name}.toml`), join(folder, "decks", `${name}.toml`));
    if (picture) copyFileSync(pictureOf(name), join(folder, "pictures", `${name}.webp`));
  }
  writeFileSync(join(folder, "decks.json"), JSON.stringify(index));
}
