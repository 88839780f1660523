/** Values that a key hardly expects, as they stand in a deck. */

const HOSTILE = "a\\u001b[2J\\u009b31m\\u0000\\u202e";

export const WRONG_VALUES: readonly string[] = [
  ...[
    '""',
    '" "',
    '"x"',
    "''",
    '"🌌"',
    `"${HOSTILE}"`,
    `"${"x".repeat(20_000)}"`,
    '"../../../etc/passwd"',
    '"/dev/zero"',
  ],
  ...['"nan"', '"16"', '"true"', '"__proto__"', '"constructor"', '"""\nlines\n"""'],
  ...["true", "false", "nan", "inf", "-inf", "0", "-0.0", "-1", "1", "2", "3", "0.5", "-0.5", "16", "17", "100"],
  ...["1e308", "-1e308", "1e-308", "5e-324", "1e30", "1e-30", "1e12", "1e-12", "4e9", "1e400"],
  // Within float64, and at or beyond what kernels take or their squares hold.
  ...["1e18", "1.1e18", "1e-18", "9e-19", "3e19", "1e-40", "3.4e38", "3.5e38", "1.1e-38"],
  ...["2147483648", "4294967295", "4294967296", "9007199254740991", "9007199254740993", "99999999999999999999"],
  ...["0x10", "1_000", "1979-05-27T07:32:00Z", "07:32:00", "1979-05-27"],
  ...[
    "[]",
    "[1]",
    "[0, 0]",
    "[1, 2, 3]",
    "[1, 2, 3, 4]",
    "[[1], [2]]",
    '["a", "b", "c"]',
    "[nan, 0, 0]",
    "[inf, 0, 0]",
  ],
  ...["[3e19, 0, 0]", "[100, 0, 0]", "[1e18, -1e18, 1e18]", "[0, 1e-40, 0]", "[0, 0, -3.5e38]"],
  ...["[1e308, 1e308, 1e308]", "[-1e308, 0, 0]", "[1e-320, 0, 0]", "[0, 0, 7.9]", "[true, false, true]"],
  ...[`[${"1, ".repeat(50_000)}]`, `${"[".repeat(500)}${"]".repeat(500)}`, "{}", "{ a = 1 }", '{ kind = "plummer" }'],
];

/** Texts that are no TOML value, or none that ends. */
export const NO_VALUES: readonly string[] = [
  ...[
    "",
    "=",
    '"',
    "'",
    '"""',
    "[",
    "[1, 2",
    "{",
    "{ a = ",
    "#",
    "\\",
    "1 2",
    "nul",
    "None",
    "1.",
    ".5",
    "1e",
    "--1",
    "+-1",
  ],
  ...["\u0000", "\u001b[31m", "“16”", "１６", "1,5", "0.1.2", "00", "1__0", "\\u0031", "1; rm -rf /", "$(id)", "`id`"],
];

/** Arguments that are no number, or not one that is wanted. */
export const WRONG_ARGUMENTS: readonly string[] = [
  ...["", " ", "-1", "0", "nan", "NaN", "inf", "Infinity", "-Infinity", "1e400", "1e-400", "abc", "1,2,x", ",", ",,,"],
  ...[
    "--",
    "-",
    "=",
    "true",
    "null",
    "undefined",
    "[]",
    "{}",
    "__proto__",
    "0x",
    "1e",
    "١٢",
    "🌌",
    "\u001b[2J",
    "x".repeat(20_000),
  ],
];

/** Names that lead nowhere good. What may be written there stays within the folder of the case. */
export const WRONG_PATHS: readonly string[] = [
  ...["", ".", "..", "/proc/gravmesh", "/proc/self/mem", "/dev/null", "/dev/zero/x", "/dev/full", "loop", "loop/x"],
  ...[
    "deck.toml",
    "deck.toml/x",
    "pipe",
    "missing/x/y",
    `${"n".repeat(300)}`,
    `${"n/".repeat(3000)}n`,
    "a\u001b[2Jb",
    "🌌",
    "-x",
  ],
];
