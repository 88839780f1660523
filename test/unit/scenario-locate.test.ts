import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/foundation/deck/problems.ts";
import { locate } from "../../src/scenario/locate.ts";

/** Line and column of `path` in a text that TOML accepts. */
function place(text: string, path: Path) {
  parse(text);
  const found = locate(text).at(path);
  return found && [found.line, found.column];
}

describe("locate finds the line of a key path", () => {
  it("at the top, in tables and in sub-tables", () => {
    const text = `title = "x" # a comment with = and [brackets]

[mesh]
  cells = 64
[mesh.fine]
cells=32
`;
    expect(place(text, ["title"])).toEqual([1, 1]);
    expect(place(text, ["mesh"])).toEqual([3, 1]);
    expect(place(text, ["mesh", "cells"])).toEqual([4, 3]);
    expect(place(text, ["mesh", "fine", "cells"])).toEqual([6, 1]);
    expect(place(text, ["mesh", "nothing"])).toBeUndefined();
  });

  it("in arrays of tables and in tables below them", () => {
    const text = `[[particles]]
count = 1
[particles.model]
a = 1
[[particles.rings]]
r = 1
[[particles.rings]]
r = 2
[[particles]]
count = 2
[[particles.rings]]
r = 3
`;
    expect(place(text, ["particles"])).toEqual([1, 1]);
    expect(place(text, ["particles", 0])).toEqual([1, 1]);
    expect(place(text, ["particles", 0, "count"])).toEqual([2, 1]);
    expect(place(text, ["particles", 0, "model", "a"])).toEqual([4, 1]);
    expect(place(text, ["particles", 0, "rings", 1, "r"])).toEqual([8, 1]);
    expect(place(text, ["particles", 1])).toEqual([9, 1]);
    expect(place(text, ["particles", 1, "count"])).toEqual([10, 1]);
    expect(place(text, ["particles", 1, "rings", 0, "r"])).toEqual([12, 1]);
  });

  it("with dotted and quoted keys", () => {
    const text = `mesh.cells = 64
 "mesh" . 'gradient' = "2-point"
[ "a.b" . "c\\u0064" ]
'e f' = 1
`;
    expect(place(text, ["mesh"])).toEqual([1, 1]);
    expect(place(text, ["mesh", "cells"])).toEqual([1, 6]);
    expect(place(text, ["mesh", "gradient"])).toEqual([2, 11]);
    expect(place(text, ["a.b", "cd", "e f"])).toEqual([4, 1]);
  });

  it("in inline tables and arrays, on one line and over several", () => {
    const text = `box = { size = 16, more = { boundary = "}" } }
offset = [
  1, # one
  [2, { x = 3 }],
]
after = 1
`;
    expect(place(text, ["box", "size"])).toEqual([1, 9]);
    expect(place(text, ["box", "more", "boundary"])).toEqual([1, 29]);
    expect(place(text, ["offset", 0])).toEqual([3, 3]);
    expect(place(text, ["offset", 1, 0])).toEqual([4, 4]);
    expect(place(text, ["offset", 1, 1, "x"])).toEqual([4, 9]);
    expect(place(text, ["after"])).toEqual([6, 1]);
  });

  it("after strings that look like TOML", () => {
    const text = `a = "x = 1 # no \\" [t]"
b = 'c:\\'
c = """
d = 1
[t] \\""" ""\\"
e = 2"""
f = '''
g = 1''''
h = """ends in quotes"""""
i = ""
j = ''
k = 1
`;
    for (const name of ["d", "e", "g", "t", "x"]) expect(place(text, [name])).toBeUndefined();
    expect(place(text, ["f"])).toEqual([7, 1]);
    expect(place(text, ["h"])).toEqual([9, 1]);
    expect(place(text, ["k"])).toEqual([12, 1]);
  });

  it("with Windows line ends, a byte order mark, dates and numbers of all kinds", () => {
    const text = `\ufeffa = 1979-05-27 07:32:00Z\r\nb = -inf\r\nc = [0x1F, 1_000, 1e-3, true]\r\n[t]\r\nd = 1 # end`;
    expect(place(text, ["b"])).toEqual([2, 1]);
    expect(place(text, ["c", 3])).toEqual([3, 25]);
    expect(place(text, ["t", "d"])).toEqual([5, 1]);
  });

  it("falls back to what lies around", () => {
    const found = locate("[mesh]\n[[particles]]\nkind = 'x'\n");
    expect(found.around(["mesh", "cells"])).toEqual({ line: 1, column: 1 });
    expect(found.around(["particles", 0, "count"])).toEqual({ line: 2, column: 1 });
    expect(found.around(["time", "end"])).toBeUndefined();
  });

  it("ends on any text, valid or not", () => {
    for (const text of ["", "[", "[[", "a", "a = [", "a = {b", 'a = "', "]", "= 1", 'a = """x', "a = [[[,", "\\"]) {
      expect(() => locate(text)).not.toThrow();
    }
  });
});
