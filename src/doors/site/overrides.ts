/**
 * Overrides belong to the deck that they were set for: each goes with what that deck wrote in its place. As soon as the text
 * has another value there, or nothing that is called so, the text counts. What is set aside in this way counts again when the
 * text is again as it was (undo), until something else is set or run.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { parse } from "smol-toml";
import { namesOf, type RawTable, tablesOf } from "../../foundation/deck/tables.ts";

/** Deck entries by path, as the command line names them: "mesh.cells" → 64. */
export type Entries = Readonly<Record<string, number | string>>;

/** "key=value" as the command line has them. */
export function overrideList(overrides: Entries): string[] {
  return Object.entries(overrides).map(([path, value]) => `${path}=${value}`);
}

/** The reverse; of several for one path the last counts. */
export function entriesOf(overrides: readonly string[]): Entries {
  return Object.fromEntries(
    overrides.map((override) => {
      const at = override.indexOf("=");
      const value = override.slice(at + 1);
      return [override.slice(0, at), value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value];
    }),
  );
}

/** Stands for the value of a key that a deck doesn't write. */
export const DEFAULT = "default";

/** A text's tables; `before` for one that isn't TOML, as it may be while a line is being written. */
export function tablesIn(text: string, before: RawTable = {}): RawTable {
  try {
    return parse(text) as RawTable;
  } catch {
    return before;
  }
}

/** What a deck writes at a path, as JSON; undefined where it has no component of that name. */
export function ownValue(deck: RawTable, path: string): string | undefined {
  const [first, ...parts] = path.split(/[.[\]]+/).map((part) => part.replace(/^(["'])(.*)\1$/, "$2"));
  let found: unknown = deck[first];
  if (Array.isArray(found)) {
    const tables = tablesOf(deck, first);
    const index = placeOf(parts.shift() ?? "", tables);
    if (index === undefined) return undefined;
    found = tables[index];
  } else if (ARRAYS.includes(first)) return undefined;
  for (const part of parts) found = isRecord(found) ? found[part] : undefined;
  return found === undefined ? DEFAULT : JSON.stringify(found);
}

/** Sections that are arrays, of which a deck without any has no component. */
const ARRAYS: readonly string[] = ["particles", "potential", "galaxy"];

const isRecord = (value: unknown): value is RawTable => typeof value === "object" && value !== null;

/** A component by its index, its name, or a kind that is there once. */
function placeOf(reference: string, tables: readonly RawTable[]): number | undefined {
  if (/^\d+$/.test(reference)) return Number(reference) < tables.length ? Number(reference) : undefined;
  const byName = namesOf(tables).indexOf(reference);
  if (byName >= 0) return byName;
  const byKind = tables.flatMap(({ kind }, index) => (kind === reference ? [index] : []));
  return byKind.length === 1 ? byKind[0] : undefined;
}

interface Setting {
  value: number | string;
  /** What the deck wrote there, of `ownValue`. */
  own: string | undefined;
}

/** Read and set like a signal of entries; the entries that fit the deck are read. */
export class Overrides {
  readonly #set = signal<Readonly<Record<string, Setting>>>({});
  readonly #deck: ReadonlySignal<RawTable>;
  readonly #fitting: ReadonlySignal<Entries>;
  readonly #aside: ReadonlySignal<Entries>;

  constructor(text: ReadonlySignal<string>) {
    let last: RawTable | undefined;
    this.#deck = computed(() => {
      last = tablesIn(text.value, last);
      return last;
    });
    const those = (fitting: boolean) =>
      computed((): Entries => {
        const deck = this.#deck.value;
        const fits = (path: string, { own }: Setting) => own !== undefined && ownValue(deck, path) === own;
        const found = Object.entries(this.#set.value).filter(([path, one]) => fits(path, one) === fitting);
        return Object.fromEntries(found.map(([path, { value }]) => [path, value]));
      });
    this.#fitting = those(true);
    this.#aside = those(false);
  }

  get value(): Entries {
    return this.#fitting.value;
  }

  /** What was set before stays what it was set for. All that is left out is gone, and so is what was set aside. */
  set value(entries: Entries) {
    const deck = this.#deck.peek();
    const before = this.#set.peek();
    const kept = this.#fitting.peek();
    this.#set.value = Object.fromEntries(
      Object.entries(entries).map(([path, value]) => [
        path,
        { value, own: path in kept ? before[path].own : ownValue(deck, path) },
      ]),
    );
  }

  peek(): Entries {
    return this.#fitting.peek();
  }

  get aside(): Entries {
    return this.#aside.value;
  }
}
