/** A deck as parsed, before it is checked: its tables, its arrays of tables, and what each of these is called. */

export type RawTable = Record<string, unknown>;

export const isTable = (value: unknown): value is RawTable =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** All tables of a section in an unchecked deck; what isn't a table is an empty one. */
export function tablesOf(deck: RawTable, section: string): RawTable[] {
  const list = deck[section];
  return Array.isArray(list) ? list.map((table) => (isTable(table) ? table : {})) : [];
}

/** What each table is called: its name, or else its kind or, of a level, what it is around, with a number where that is taken. */
export function namesOf(tables: readonly unknown[]): string[] {
  const found = tables.map((table) => (isTable(table) ? table : {}));
  const taken = new Set(found.map(({ name }) => name));
  const numbers = new Map<unknown, number>();
  return found.map(({ name: own, kind, around = "level" }) => {
    if (own !== undefined) return wordOf(own);
    const [called, before] = kind === undefined ? [wordOf(around), " "] : [wordOf(kind), "-"];
    let name = called;
    let n = numbers.get(called) ?? 1;
    while (taken.has(name)) name = `${called}${before}${++n}`;
    numbers.set(called, n);
    taken.add(name);
    return name;
  });
}

/** What can't be a name, since it is no text, is refused elsewhere. */
const wordOf = (value: unknown) => (typeof value === "object" && value !== null ? "table" : String(value));
