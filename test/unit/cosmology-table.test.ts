/** Tables of CLASS and CAMB, written here in the layouts of their files from a known spectrum. */
import { describe, expect, it } from "vitest";
import { Background } from "../../src/physics/cosmology/background.ts";
import { Growth } from "../../src/physics/cosmology/growth.ts";
import { Spline } from "../../src/physics/cosmology/interpolation.ts";
import { LinearPower, linearPowerOf, type PowerOptions, tableNote } from "../../src/physics/cosmology/power.ts";
import { cosmologyDefaults, cosmologyProblems } from "../../src/physics/cosmology/settings.ts";
import { requireModes, spectrumTable } from "../../src/physics/cosmology/table.ts";
import { eisensteinHu } from "../../src/physics/cosmology/transfer.ts";

const background = new Background({ h: 0.7, omegaM: 0.3, omegaB: 0.05 });
const growth = new Growth(background);
const truth = new LinearPower(background, growth, {
  ...{ spectralIndex: 0.96, transfer: "eisenstein-hu", amplitude: { sigma8: 0.8 } },
});
const T = eisensteinHu(background);
const K = Array.from({ length: 600 }, (_, i) => 10 ** (-5 + (7 * i) / 599));

const classPower = (z = 0) =>
  [
    `# Matter power spectrum P(k) at redshift z=${z}`,
    `# for k=${K[0]} to ${K.at(-1)} h/Mpc,`,
    `# number of wavenumbers equal to ${K.length}`,
    "#    1:k (h/Mpc)              2:P (Mpc/h)^3        ",
    ...K.map((k) => `   ${k.toExponential(12)}   ${truth.power(k, 1 / (1 + z)).toExponential(12)} `),
  ].join("\n");

const cambPower = () =>
  [
    "#           k/h    P           ",
    ...K.map((k) => `   ${k.toExponential(12)}   ${truth.power(k).toExponential(12)}`),
  ].join("\r\n");

/** Rows of k, CDM, baryons, photons, neutrinos, massive neutrinos, total, …; all but the total are wrong on purpose. */
const cambTransfer = (header: boolean, width: number) =>
  [
    ...(header
      ? [
          "#          k/h    CDM            baryon         photon         nu             mass_nu        total          no_nu          total_de       Weyl           v_CDM          v_b            v_b-v_c     ",
        ]
      : []),
    ...K.map((k) =>
      [k, ...Array.from({ length: width - 1 }, (_, i) => (i === 5 ? 2.03e7 * T(k) : 3.3 * k))].join("  "),
    ),
  ].join("\n");

/** As CLASS writes densities: δ ∝ −k² T. */
const classTransfer = (columns: string[], values: (k: number) => number[]) =>
  [
    "# Transfer functions T_i(k) for adiabatic (AD) mode (normalized to initial curvature=1) ",
    "# at redshift z=0",
    `# ${["k (h/Mpc)", ...columns].map((title, i) => `${i + 1}:${title}`.padEnd(25)).join("")}`,
    ...K.map((k) => [k, ...values(k)].join("  ")),
  ].join("\n");

const powerOf = (text: string, change: Partial<PowerOptions> = {}) =>
  new LinearPower(background, growth, {
    ...{ spectralIndex: 0.96, transfer: spectrumTable(text, "table.dat", background), amplitude: { sigma8: 0.8 } },
    ...change,
  });

/** Holds a spectrum to the truth inside the table, between its rows too. */
function expectTruth(power: LinearPower, tolerance = 1e-5) {
  for (let x = Math.log(2e-5); x < Math.log(90); x += 0.237) {
    const k = Math.exp(x);
    expect(Math.abs(power.power(k) / truth.power(k) - 1)).toBeLessThan(tolerance);
  }
}

describe("tabulated spectra", () => {
  it("reads a power spectrum of CLASS", () => {
    const table = spectrumTable(classPower(), "pk.dat");
    expect(table).toMatchObject({ name: "pk.dat", kind: "power", redshift: 0 });
    expect(table.k).toHaveLength(K.length);
    expectTruth(powerOf(classPower()));
    expectTruth(powerOf(classPower(), { amplitude: "tabulated" }));
  });

  it("brings a power spectrum from its redshift to today", () => {
    const text = classPower(63);
    expect(spectrumTable(text, "pk.dat").redshift).toBe(63);
    expectTruth(powerOf(text, { amplitude: "tabulated" }));
    const silent = cambPower();
    expectTruth(powerOf(silent, { amplitude: "tabulated" }));
    const shifted = powerOf(silent, { amplitude: "tabulated", redshift: 1 });
    expect(shifted.power(0.1) / truth.power(0.1)).toBeCloseTo((growth.D1(1) / growth.D1(0.5)) ** 2, 5);
    expect(() => powerOf(silent, { redshift: -1 })).toThrow(/redshift above −1, found -1/);
  });

  it("reads a power spectrum of CAMB, and two columns without a header", () => {
    expect(spectrumTable(cambPower(), "m.dat")).toMatchObject({ kind: "power", redshift: undefined });
    expectTruth(powerOf(cambPower()));
    expectTruth(powerOf(cambPower().split("\r\n").slice(1).join("\n").replaceAll("e-", "D-")));
  });

  it("reads transfer functions of CAMB, new and old", () => {
    expectTruth(powerOf(cambTransfer(true, 13)));
    expectTruth(powerOf(cambTransfer(false, 13)));
    expectTruth(powerOf(cambTransfer(false, 7)));
  });

  it("reads transfer functions of CLASS in its own and in CAMB's format", () => {
    expectTruth(
      powerOf(
        classTransfer(["d_g", "d_b", "d_cdm", "d_ur", "d_m", "d_tot", "phi", "t_tot"], (k) => [
          1,
          2,
          3,
          4,
          -5 * k * k * T(k),
          6,
          7,
          8,
        ]),
      ),
    );
    expectTruth(
      powerOf(
        classTransfer(["-T_cdm/k2", "-T_b/k2", "-T_g/k2", "-T_ur/k2", "-T_tot/k2"], (k) => [1, 2, 3, 4, 9e6 * T(k)]),
      ),
    );
  });

  it("adds cold matter and baryons where CLASS gives no sum", () => {
    // T = (5 · cold + baryons)/6 for a sixth of baryons.
    const text = classTransfer(["d_g", "d_b", "d_cdm", "d_ur"], (k) => [
      1,
      -k * k * (T(k) + 5 * k),
      -k * k * (T(k) - k),
      4,
    ]);
    expectTruth(powerOf(text));
    expect(() => spectrumTable(text, "tk.dat")).toThrow(
      /tk\.dat: expected titles of columns.*found the header "1:k \(h\/Mpc\) +2:d_g/,
    );
  });

  it("takes As with a transfer function, wherever the table begins", () => {
    const amplitude = { As: 2e-9 };
    const fit = new LinearPower(background, growth, { spectralIndex: 0.96, transfer: "eisenstein-hu", amplitude });
    const late = cambTransfer(true, 13).split("\n");
    late.splice(1, 170); // begins at 1e-3 h/Mpc, where T is 0.98
    for (const [text, tolerance] of [
      [cambTransfer(true, 13), 1e-4],
      [late.join("\n"), 5e-3],
    ] as const) {
      const power = powerOf(text, { amplitude });
      expect(Math.abs(power.sigma8 / fit.sigma8 - 1)).toBeLessThan(tolerance);
      expect(Math.abs(power.power(1e-4) / fit.power(1e-4) - 1)).toBeLessThan(tolerance);
    }
    expect(() => powerOf(classPower(), { amplitude })).toThrow(/As goes with a transfer function/);
  });

  it("goes on as power laws beyond the table, and says which modes it has", () => {
    const power = powerOf(classPower());
    const slope = (k1: number, k2: number) => Math.log(power.power(k2) / power.power(k1)) / Math.log(k2 / k1);
    expect(power.range[0]).toBeCloseTo(1e-5, 15);
    expect(power.range[1]).toBeCloseTo(100, 9);
    expect(slope(1e-7, 1e-6)).toBeCloseTo(0.96, 3);
    expect(slope(1e3, 1e4)).toBeCloseTo(slope(2e2, 3e2), 12);
    expect(Math.abs(slope(1e3, 1e4) - slope(90, 99))).toBeLessThan(0.01);
    power.requireModes(1e-4, 50);
    expect(() => power.requireModes(1e-4, 200)).toThrow(
      /table\.dat: expected wave numbers from 0\.0001000 to 200\.0 h\/Mpc, found 0\.00001000 to 100\.0; .*P_k_max_h\/Mpc/,
    );
    expect(() => requireModes(spectrumTable(classPower(), "pk.dat"), 1e-6, 1)).toThrow(/pk\.dat/);
    truth.requireModes(0, 1e9);
  });

  const edited = (edit: (lines: string[]) => void) => {
    const lines = classPower().split("\n");
    edit(lines);
    return lines.join("\n");
  };
  it.each<[string, string, RegExp]>([
    ["an empty file", "", /at least 4 rows of numbers, found 0/],
    ["too few rows", "1 2\n2 3\n", /at least 4 rows of numbers, found 2/],
    ["words", edited((lines) => lines.splice(9, 1, "one two")), /line 10: expected 2 numbers, found 2 \(NaN NaN\)/],
    ["a short row", edited((lines) => lines.splice(9, 1, "0.1")), /line 10: expected 2 numbers, found 1/],
    [
      "rows out of order",
      edited((lines) => lines.reverse()),
      /line 2: expected wave numbers above 0 in ascending order/,
    ],
    ["k = 0", edited((lines) => lines.splice(4, 1, "0 1")), /line 5: expected wave numbers above 0/],
    [
      "negative power",
      edited((lines) => lines.splice(99, 1, lines[99].replace(/ {3}(\S+) $/, "  -$1"))),
      /line 100: expected values of one sign/,
    ],
    ["a sign change", classTransfer(["d_m"], (k) => [k * k * (k - 1)]), /expected values of one sign/],
    [
      "k in 1/Mpc without h",
      classPower().replace("1:k (h/Mpc)", "1:k (1/Mpc)"),
      /k in h\/Mpc or 1\/Mpc, found .*"1:k \(1/,
    ],
    ["P in Mpc³ likewise", classPower().replace("2:P (Mpc/h)^3", "2:P (Mpc)^3"), /P in \(Mpc\/h\)\^3 or Mpc\^3, found/],
    ["unknown columns", K.map((k) => `${k} 1 2`).join("\n"), /found 3 columns without titles/],
    [
      "unknown titles",
      `# k/h CDM baryon\n${K.map((k) => `${k} 1 2`).join("\n")}`,
      /found the header "k\/h CDM baryon"/,
    ],
  ])("refuses %s", (_, text, message) => {
    expect(() => spectrumTable(text, "file.dat")).toThrow(message);
    expect(() => spectrumTable(text, "file.dat")).toThrow(/^file\.dat: /);
  });
});

describe("titles of columns", () => {
  const h = 0.7;
  const delta = (k: number) => truth.dimensionless(k);
  const rows = (header: string, row: (k: number) => number[]) =>
    [
      header,
      ...K.map((k) =>
        row(k)
          .map((one) => one.toExponential(13))
          .join(" "),
      ),
    ].join("\n");
  const P = (k: number) => truth.power(k);

  it.each<[string, (k: number) => number[]]>([
    ["# k (1/Mpc)   P(k) (Mpc^3)", (k) => [k * h, P(k) / h ** 3]],
    ["# k [1/Mpc]   P(k)", (k) => [k * h, P(k) / h ** 3]],
    ["# 1:k (1/Mpc)     2:P (Mpc)^3", (k) => [k * h, P(k) / h ** 3]],
    ["# k [Mpc^{-1}], P_lin(k,z=0) [Mpc^3]", (k) => [k * h, P(k) / h ** 3]],
    ["# k Mpc^-1  P Mpc^3/h^3", (k) => [k * h, P(k)]],
    ["# k [h Mpc^-1]   P(k) [h^-3 Mpc^3]", (k) => [k, P(k)]],
    ["# k in h/Mpc, P in Mpc^3", (k) => [k, P(k) / h ** 3]],
    ["# k [h Mpc⁻¹]   Δ²(k)", (k) => [k, delta(k)]],
    ["k/h  k^3P(k)/(2*pi^2)", (k) => [k, delta(k)]],
    ["# k/h  P_nl  P_lin", (k) => [k, 2 * P(k), P(k)]],
    ["# k/h [1/Mpc]   P(k)", (k) => [k, P(k)]],
  ])("%s: P of its own amplitude", (header, row) => {
    expectTruth(powerOf(rows(header, row), { amplitude: "tabulated" }));
  });

  it.each<[string, (k: number) => number[]]>([
    ["# k (h/Mpc)   T(k)", (k) => [k, T(k)]],
    ["# k (1/Mpc) CDM baryon photon nu mass_nu total", (k) => [k * h, 1, 2, 3, 4, 5, -T(k)]],
    ["# 1:k (1/Mpc) 2:d_g 3:d_b 4:d_cdm 5:d_ur 6:d_m 7:phi", (k) => [k * h, 1, 2, 3, 4, -k * k * T(k), 6]],
  ])("%s: a transfer function", (header, row) => {
    expectTruth(powerOf(rows(header, row)));
  });

  it.each([
    ["# k in 1/Mpc, then the power spectrum", /found the header "k in 1\/Mpc, then/],
    ["# the dimensionless power spectrum", /found the header "the dimensionless/],
    ["# transfer function of CDM", /titles of columns such as .*found the header "transfer/],
    ["# log10(k [h/Mpc])   log10(P(k) [(Mpc/h)^3])", /k in h\/Mpc or 1\/Mpc, found the header "log10\(k/],
    ["# k [h/Mpc]  ln P(k)", /titles of columns such as .*found the header "k \[h\/Mpc\] {2}ln P/],
    ["# k/h  sqrt(P)", /found the header "k\/h {2}sqrt\(P\)"/],
    ["# k (h/kpc)   P (kpc/h)^3", /k in h\/Mpc or 1\/Mpc, found the header/],
    ["# k/h   Delta^2 (Mpc^3)", /found the header "k\/h {3}Delta\^2 \(Mpc\^3\)"/],
    ["# k/h   P_m P_cb", /one column of P in linear theory/],
    ["# wave numbers in Mpc^-1\n# k P", /found the header "wave numbers in Mpc\^-1"/],
    ["# k (1/m)  P", /k in h\/Mpc or 1\/Mpc, found the header "k \(1\/m\)/],
    ["# k (h/Mpc)  P (pc^3)", /P in \(Mpc\/h\)\^3 or Mpc\^3, found the header/],
    ["# k/h  P_nl", /titles of columns such as/],
    ["# k/h  4pik^3P", /titles of columns such as/],
    ["# P at z = 3\n# spectrum of redshift 49", /expected one redshift, found 3 and 49/],
  ])("refuses %s", (header, message) => {
    expect(() =>
      spectrumTable(
        rows(header, (k) => [k, 1]),
        "file.dat",
        background,
      ),
    ).toThrow(message);
    const seven = (first: string) => rows(first, (k) => [k, 1, 1, 1, 1, 1, 1]);
    expect(() => spectrumTable(seven("# CAMB's columns, k in Mpc^-1"), "file.dat", background)).toThrow(
      /found the header/,
    );
    expect(spectrumTable(seven("# transfer function, H0 = 67 km/s/Mpc"), "file.dat").kind).toBe("transfer");
  });

  it("say a redshift in many ways", () => {
    for (const said of ["redshift z=3.5", "at z = 3.5", "redshift: 3.5", "redshift 3.5"]) {
      expect(
        spectrumTable(
          rows(`# ${said}\n# k/h P`, (k) => [k, 1]),
          "file.dat",
        ).redshift,
      ).toBe(3.5);
    }
  });
});

describe("a table on its way into a run", () => {
  const settings = { ...cosmologyDefaults, omegaB: 0.05, transfer: "file" as const, file: "pk.dat" };
  const bright = cambPower()
    .split("\r\n")
    .map((line) => line.replace(/e([+-]\d+)$/, (_, power) => `e${Number(power) + 1}`))
    .join("\n");
  const made = (text: string, more: Partial<typeof cosmologyDefaults> = {}) =>
    linearPowerOf({ ...settings, ...more }, async () => text);

  it("has sigma8 of the deck, or its own by a key, and says so", async () => {
    const given = await made(bright);
    expect(given.sigma8).toBeCloseTo(0.8, 9);
    expect(tableNote(given)).toMatch(
      /^pk\.dat: k\/h as k \[h\/Mpc\], P as P .*; 600 rows, k = 0\.00001000 to 100\.0 h\/Mpc; its σ8 of 2\.530 is changed to cosmology\.sigma8 = 0\.8000/,
    );
    const own = await made(bright, { amplitude: "table" });
    expect(own.power(0.1) / truth.power(0.1)).toBeCloseTo(10, 4);
    expect(tableNote(own)).toMatch(/its own amplitude, σ8 = 2\.530$/);
    expect(tableNote(await made(classPower(3), { amplitude: "table" }))).toMatch(
      /of z = 3 brought to 0.*σ8 = 0\.8000$/,
    );
    expect(tableNote(await made(cambTransfer(true, 13), { As: 2e-9 }))).toMatch(/total as T; .*As = 2e-9, σ8 = 0\.8/);
    expect(tableNote(await made(`# z = 49\n${cambTransfer(true, 13)}`), true)).toMatch(
      /; baryons and cold matter by baryon and CDM of z = 49$/,
    );
    expect(tableNote(truth)).toBeUndefined();
    const at = (problems: readonly { path: readonly (string | number)[] }[]) =>
      problems.map(({ path }) => path.join("."));
    expect(at(cosmologyProblems({ ...settings, amplitude: "table", As: 2e-9 }))).toEqual(["cosmology.amplitude"]);
    expect(at(cosmologyProblems({ ...cosmologyDefaults, amplitude: "table" }))).toEqual(["cosmology.amplitude"]);
  });

  it("may fall to nothing, as with warm dark matter", async () => {
    const cut = (of: (k: number) => number) =>
      ["# k/h P", ...K.map((k) => `${k} ${truth.power(k) * of(k)}`)].join("\n");
    const warm = (k: number) => (1 + (k / 3) ** 2) ** -9;
    for (const of of [
      (k: number) => (k < 20 ? warm(k) : 0),
      (k: number) => warm(k) * Math.exp(-((k / 4) ** 2)),
      (k: number) => (k < 20 ? warm(k) : 1e-30),
      (k: number) => (k > 30 && k < 33 ? 0 : warm(k)),
    ]) {
      const power = await made(cut(of), { amplitude: "table" });
      expect(power.sigma8).toBeGreaterThan(0.7);
      // Off the rows, on either side of the end of the spectrum.
      for (let x = Math.log(1e-4); x < Math.log(300); x += 0.0617) {
        const k = Math.exp(x);
        const found = power.power(k) / truth.power(k);
        expect(found).toBeGreaterThanOrEqual(0);
        if (k < 19 && of(k) > 0) expect(Math.abs(found / of(k) - 1)).toBeLessThan(2e-3);
        if (k > 20.6) expect(found).toBeLessThanOrEqual(Math.max(1.1 * warm(k), 2e-30));
      }
    }
    expect(() =>
      spectrumTable(
        cut(() => 0),
        "pk.dat",
      ),
    ).toThrow(/line 2: expected values of one sign, the first not 0/);
  });
});

describe("spline", () => {
  it("goes through its knots, with fourth-order error between them", () => {
    const error = (n: number) => {
      const x = Float64Array.from({ length: n + 1 }, (_, i) => (2 * Math.PI * i) / n);
      const spline = new Spline(x, x.map(Math.sin));
      expect(spline.value(x[3])).toBeCloseTo(Math.sin(x[3]), 15);
      return Math.max(...x.slice(1).map((at) => Math.abs(spline.value(at - Math.PI / n) - Math.sin(at - Math.PI / n))));
    };
    // sin has no curvature at both ends, as the spline assumes.
    expect(Math.log2(error(20) / error(40))).toBeGreaterThan(3.9);
  });

  it("goes on in straight lines", () => {
    const line = new Spline(Float64Array.of(0, 1, 3), Float64Array.of(1, 3, 7));
    for (const x of [-5, 0, 0.4, 2, 3, 9]) expect(line.value(x)).toBeCloseTo(1 + 2 * x, 14);
    const curve = new Spline(Float64Array.of(0, 1, 2), Float64Array.of(0, 1, 0));
    expect(curve.jet(0)[1]).toBeCloseTo(1.5, 14);
    expect(curve.jet(2)[1]).toBeCloseTo(-1.5, 14);
    expect(curve.value(3)).toBeCloseTo(-1.5, 14);
  });
});
