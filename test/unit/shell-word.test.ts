/** Words of a command line come out of a shell as they were meant. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { shellLine, shellWord } from "../../src/run/shell-word.ts";

const WORDS = [
  ...["plain", "a/b-c_d.e", "key=value", "--out", "x=1,2", "user@host:folder", "100%"],
  ...[
    "",
    " ",
    "two words",
    "it's",
    "'",
    "''",
    '"',
    "$HOME",
    "`date`",
    "$(date)",
    "a\\b",
    "!x",
    "*",
    "?",
    "[0]",
    "{a,b}",
  ],
  ...[
    "~",
    "#no",
    "a;b",
    "a&b",
    "a|b",
    "<a>",
    "(a)",
    "particles[0].count=10",
    "line\nline",
    "\ttab",
    "=sh",
    "größe",
    "🌌",
  ],
];

describe("words of a shell", () => {
  it("come out of sh and bash as they were", () => {
    for (const shell of ["sh", "bash"]) {
      const out = execFileSync(shell, ["-c", `printf '%s\\0' ${shellLine(...WORDS)}`], { encoding: "utf8" });
      expect(out.split("\0").slice(0, -1)).toEqual(WORDS);
    }
  });

  it("are left plain where they are", () => {
    for (const word of ["runs/disk-2", "key=value", "--out", "100%"]) expect(shellWord(word)).toBe(word);
    expect(shellLine("gravmesh", "run", "my deck.toml", "")).toBe("gravmesh run 'my deck.toml' ''");
  });

  it("have quotes where zsh takes them for something else", () => {
    expect(shellWord("=sh")).toBe("'=sh'");
    expect(shellWord("~")).toBe("'~'");
  });
});
