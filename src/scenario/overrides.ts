/**
 * `key=value` on the command line: the key is a path into the deck, the value is TOML or else a bare text.
 * A component is named by index (particles.0 or particles[0]), by its name, or by its kind where that is unique.
 */
import { parse } from "smol-toml";
import type { RawTable } from "../deck/keys.ts";
import { nameOfKind } from "./defaults.ts";
import type { Path } from "./locate.ts";
import { unknownKey } from "./problems.ts";
import { componentOf, displayPath, knownKey, nearestWord } from "./suggest.ts";

export interface Override {
  /** As given. */
  text: string;
  path: Path;
}

/** What is wrong with one override; all of them are reported together. */
class OverrideFault extends Error {}

function fail(message: string): never {
  throw new OverrideFault(message);
}

/** The right-hand side: a TOML value where it is one, otherwise the text itself. */
function parsedValue(source: string): unknown {
  try {
    const parsed = parse(`value = ${source}`);
    return Object.keys(parsed).length === 1 ? parsed.value : source;
  } catch {
    return source;
  }
}

/** `particles[0].count` → ["particles", "0", "count"]. */
function partsOf(key: string): string[] {
  const parts = key
    .replace(/\[\s*([^\]]*?)\s*\]/g, ".$1")
    .split(".")
    .map((part) => part.trim());
  if (parts.some((part) => part === "")) {
    fail(`expected key=value such as mesh.cells=128 or particles[0].count=1000, found the key "${key}"`);
  }
  return parts;
}

/** The index of the component that `reference` names. */
function componentIndex(reference: string, deck: RawTable): number {
  const list = Array.isArray(deck.particles) ? (deck.particles as unknown[]) : [];
  const components = list.map((_, i) => componentOf(deck, i) ?? {});
  if (/^\d+$/.test(reference)) {
    const index = Number(reference);
    if (index < components.length) return index;
    const range = components.length > 0 ? `0 to ${components.length - 1}` : "none";
    fail(`no component ${reference}: the deck's components are ${range}`);
  }
  const names = components.map((component, index) =>
    String(component.name ?? nameOfKind.value({ deck, component, index })),
  );
  const byName = names.flatMap((name, i) => (name === reference ? [i] : []));
  const byKind = components.flatMap((component, i) => (component.kind === reference ? [i] : []));
  const found = byName.length > 0 ? byName : byKind;
  if (found.length === 1) return found[0];
  if (found.length > 1) {
    fail(
      `${found.length} components are called "${reference}": use an index, ${found.map((i) => `particles[${i}]`).join(" or ")}`,
    );
  }
  const near = nearestWord(reference, names);
  const advice = near ? `did you mean particles.${near}?` : `the deck's components are ${names.join(", ")}`;
  fail(`no component "${reference}": ${advice}`);
}

/** Writes overrides into `deck`, in place and in order; those that can't be are returned with the reason. */
export function applyOverrides(
  texts: readonly string[],
  deck: RawTable,
): { overrides: Override[]; faults: { text: string; message: string }[] } {
  const overrides: Override[] = [];
  const faults: { text: string; message: string }[] = [];
  for (const text of texts) {
    try {
      overrides.push(applyOverride(text, deck));
    } catch (error) {
      if (!(error instanceof OverrideFault)) throw error;
      faults.push({ text, message: error.message });
    }
  }
  return { overrides, faults };
}

function applyOverride(text: string, deck: RawTable): Override {
  const equals = text.indexOf("=");
  if (equals < 1) fail("expected key=value, such as mesh.cells=128");
  const parts = partsOf(text.slice(0, equals));
  const path: (string | number)[] = [...parts];
  if (parts[0] === "particles" && parts.length > 1) path[1] = componentIndex(parts[1], deck);
  const known = knownKey(path, deck);
  const isKind = path.length === 3 && path[0] === "particles" && path[2] === "kind";
  if (!known && !isKind) fail(unknownKey(path, deck).message);
  for (let i = known?.path.length ?? path.length; i < path.length; i++) {
    if (/^\d+$/.test(parts[i])) path[i] = Number(parts[i]);
  }
  let table: RawTable = deck;
  path.slice(0, -1).forEach((part, i) => {
    const inner = Object.hasOwn(table, part) ? table[part] : undefined;
    if (inner === undefined && i < 1) table[part] = Object.create(null);
    else if (typeof inner !== "object" || inner === null) {
      fail(
        `${displayPath(path.slice(0, i + 1))} holds no keys: it is ${inner === undefined ? "not set; give it whole" : JSON.stringify(inner)}`,
      );
    }
    table = table[part] as RawTable;
  });
  const source = text.slice(equals + 1).trim();
  const value = parsedValue(source);
  // A title of 2024 is a text all the same.
  table[path[path.length - 1]] = known?.info.type === "text" && typeof value !== "string" ? source : value;
  return { text, path };
}
