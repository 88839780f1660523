/** What an ensemble is made of: values and ranges, every combination, Latin hypercubes, members' decks, seeds. */
import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/scenario/parse.ts";
import { membersOf, type PlanRequest, planOf } from "../../src/study/ensemble/plan.ts";
import { optionLines, rangesText } from "../../src/study/ensemble/slurm.ts";
import { enumerated, latinHypercube, variedKeyOf, variedValue } from "../../src/study/ensemble/variation.ts";

const varied = (text: string, whole: boolean | undefined = false) => variedKeyOf(text, () => whole);
const valuesIn = (text: string, whole?: boolean) => enumerated(varied(text, whole));

describe("what a key takes", () => {
  it("is a list of numbers, words, booleans and lists", () => {
    expect(varied("mesh.cells=16, 32")).toEqual({ key: "mesh.cells", values: [16, 32] });
    expect(valuesIn("a=cic,tsc,true,1_000,.5,-1e-3")).toEqual(["cic", "tsc", true, 1000, 0.5, -0.001]);
    expect(valuesIn('a=[1,0,0],[0,1,0],"b,c"')).toEqual(["[1,0,0]", "[0,1,0]", '"b,c"']);
  });

  it("is a range of whole numbers, alone or among values", () => {
    expect(varied("seed=1..16", true)).toEqual({ key: "seed", range: { from: 1, to: 16, whole: true } });
    expect(valuesIn("seed=3..5", true)).toEqual([3, 4, 5]);
    expect(valuesIn("seed=1..3,8,10..11", true)).toEqual([1, 2, 3, 8, 10, 11]);
    expect(valuesIn("a=-2..1")).toEqual([-2, -1, 0, 1]);
  });

  it("is a range cut evenly, both ends among the values, in few digits", () => {
    expect(valuesIn("a=0.1..0.5/5")).toEqual([0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(valuesIn("a=1..2/3,7")).toEqual([1, 1.5, 2, 7]);
  });

  it("is a range of real numbers where the key takes them, for a hypercube", () => {
    expect(varied("a=1..2", false)).toEqual({ key: "a", range: { from: 1, to: 2, whole: false } });
    expect(varied("a=0.5..2", true)).toEqual({ key: "a", range: { from: 0.5, to: 2, whole: false } });
    expect(() => valuesIn("a=0.5..2")).toThrow(/how many values of this range\? Give as many evenly, a=0.5..2\/5/);
    expect(() => valuesIn("a=0.5..2,3")).toThrow(/how many values from 0.5 to 2\?/);
  });

  it.each([
    ["", /expected a deck key and its values/],
    ["a", /expected a deck key and its values/],
    ["=1,2", /expected a deck key and its values/],
    ["a=", /expected a deck key and its values/],
    ["a=1,,2", /expected a deck key and its values/],
    ["a=1,2,", /expected a deck key and its values/],
    ["a=1,2,1", /1 is given twice/],
    ["a=5..1", /from the smaller end to the larger, found 5..1/],
    ["a=1..1", /from the smaller end to the larger/],
    ["a=0..1/1", /expected 2 to 10000 values, found 1/],
    ["a=0..1/99999", /expected 2 to 10000 values/],
    ["a=0..1e308,-1e308..1e308", /at most 10000|smaller end/],
    ["a=1,0..99999", /100001 values: expected at most/],
    // Looked at one by one for those that are given twice they would take seconds.
    [
      `a=${Array.from({ length: 1000 }, (_, i) => `${20_000 * i}..${20_000 * i + 9999}`).join(",")}`,
      /10000000 values: expected/,
    ],
  ])("%j is refused", (text, message) => {
    expect(() => valuesIn(text)).toThrow(message);
  });
});

describe("a grid", () => {
  it("has every combination, the last key varying fastest", () => {
    const members = membersOf([varied("a=1,2"), varied("b=x,y,z")], { kind: "grid" });
    expect(members.map(({ values }) => `${values.a}${values.b}`)).toEqual(["1x", "1y", "1z", "2x", "2y", "2z"]);
    expect(members[4]).toMatchObject({ index: 4, folder: "member_004" });
  });

  it("is refused where it has too many members", () => {
    expect(() => membersOf([varied("a=1..1000"), varied("b=1..11")], { kind: "grid" })).toThrow(/11000 members/);
  });
});

describe("a Latin hypercube", () => {
  it.each([1, 2, 7, 64, 1000])("of %i members has one in every stratum of every range", (members) => {
    const places = latinHypercube(members, 3, 5);
    for (let k = 0; k < 3; k++) {
      const strata = places.map((place) => Math.floor(members * place[k])).sort((a, b) => a - b);
      expect(strata).toEqual(Array.from({ length: members }, (_, i) => i));
    }
  });

  it("is the same for a seed, another for another, and its ranges don't go together", () => {
    expect(latinHypercube(50, 2, 3)).toEqual(latinHypercube(50, 2, 3));
    expect(latinHypercube(50, 2, 3)).not.toEqual(latinHypercube(50, 2, 4));
    // A further range changes none of those before.
    expect(latinHypercube(50, 3, 3).map(([a, b]) => [a, b])).toEqual(latinHypercube(50, 2, 3));
    const places = latinHypercube(2000, 2, 1);
    const covariance = places.reduce((sum, [x, y]) => sum + (x - 0.5) * (y - 0.5), 0) / places.length;
    // Independent: 1/12 / √2000 = 0.0019 by chance.
    expect(Math.abs(12 * covariance)).toBeLessThan(0.08);
  });

  it("takes whole numbers, real ones and lists alike", () => {
    const seeds = membersOf([varied("seed=1..16", true)], { kind: "latin", members: 16, seed: 1 });
    expect(seeds.map(({ values }) => values.seed).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 16 }, (_, i) => i + 1),
    );
    const words = membersOf([varied("a=x,y")], { kind: "latin", members: 10, seed: 1 });
    expect(words.filter(({ values }) => values.a === "x")).toHaveLength(5);
    expect(variedValue(varied("a=2..4"), 0.25)).toBe(2.5);
    expect(variedValue(varied("a=2..4", true), 1 - Number.EPSILON)).toBe(4);
  });
});

const request = (change: Partial<PlanRequest>): PlanRequest => ({
  ...{ scenario: "plummer", overrides: [], vary: [], latinSeed: 1, backend: "cpu" },
  ...change,
});

describe("members' decks", () => {
  it("are all read; which is wrong is said, and how", async () => {
    const { ensemble, memory, name } = await planOf(request({ vary: ["seed=1..3", "mesh.cells=32,64"] }));
    expect(ensemble.members).toHaveLength(6);
    expect(ensemble).toMatchObject({ title: "Plummer sphere", sampling: { kind: "grid" }, backend: "cpu" });
    expect({ name, memory: memory > 1e6 }).toEqual({ name: "plummer", memory: true });
    await expect(planOf(request({ vary: ["mesh.cels=16,32"] }))).rejects.toThrow(
      /Member 0 \(mesh\.cels = 16\): .*unknown key mesh\.cels: did you mean mesh\.cells\?[\s\S]*Of 2 members 2 are wrong/,
    );
    await expect(planOf(request({ vary: ["seeds=1..3"] }))).rejects.toThrow(
      /unknown key seeds: did you mean seed, of all/,
    );
    await expect(planOf(request({ vary: ["mesh.cells=32,33"] }))).rejects.toThrow(/Member 1 \(mesh\.cells = 33\)/);
    await expect(planOf(request({}))).rejects.toThrow(/What do the members differ in\?/);
    await expect(planOf(request({ vary: ["seed=1", "seed=2"] }))).rejects.toThrow(/seed varies twice/);
  });

  it("must differ in what is computed", async () => {
    await expect(planOf(request({ vary: ["title=a,b"] }))).rejects.toThrow(
      /Members 0 \(title = a\) and 1 \(title = b\) would be the same run/,
    );
    await expect(planOf(request({ vary: ["mesh.cells=32,64"], overrides: ["seed=0"] }))).rejects.toThrow(
      /expected a whole number from 1/,
    );
  });

  it("take real numbers from a whole range where the key does, in a hypercube", async () => {
    const vary = ["particles.0.mass=1..2", "particles.0.count=1000..2000"];
    const { ensemble } = await planOf(request({ vary, latin: 8 }));
    const column = (key: string) => ensemble.members.map(({ values }) => Number(values[key]));
    expect(column("particles.0.mass").every((mass) => mass > 1 && mass < 2 && !Number.isInteger(mass))).toBe(true);
    expect(column("particles.0.count").every(Number.isInteger)).toBe(true);
  });
});

describe("seed=2", () => {
  const DECK = `title = "T"
[box]
size = 8.0
[mesh]
cells = 16
[time]
end = 1.0
step = 0.1
[output]
snapshots = 1
[[particles]]
kind = "plummer"
count = 10
cutoff = 3.0
[[particles]]
kind = "plummer"
name = "other"
count = 10
cutoff = 3.0
seed = 7
`;
  const seeds = (...overrides: string[]) => parseScenario(DECK, { overrides }).particles.map(({ seed }) => seed);

  it("moves on the seeds of all components by 1000; 1 is the deck as it stands", () => {
    expect(seeds()).toEqual([1, 7]);
    expect(seeds("seed=1")).toEqual([1, 7]);
    expect(seeds("seed=2")).toEqual([1001, 1007]);
    expect(seeds("seed=3", "particles.other.seed=4")).toEqual([2001, 4]);
  });

  it.each(["0", "1.5", "x", "5000000"])("is refused as %s", (seed) => {
    expect(() => seeds(`seed=${seed}`)).toThrow(
      /override seed=.*: expected a whole number from 1 .* to 4294967, found/,
    );
  });

  it("is given once, and to a deck that draws particles", () => {
    expect(() => seeds("seed=2", "seed=3")).toThrow(/seed is given twice/);
    const read = DECK.replace(/\[\[particles\]\][\s\S]*$/, '[[particles]]\nkind = "snapshot"\nfile = "s.hdf5"\n');
    expect(() => parseScenario(read, { overrides: ["seed=2"] })).toThrow(/no component has a seed/);
  });
});

describe("options of sbatch", () => {
  it("are taken one a line", () => {
    expect(optionLines("--sbatch", "--time=1:00:00 -p gpu  --comment='a b'")).toEqual([
      "--time=1:00:00",
      "-p gpu",
      "--comment='a b'",
    ]);
    expect(optionLines("--sbatch", "")).toEqual([]);
  });

  it.each(["time=1", "--array=1-2", "--comment='a", "-d afterok:1"])("%s is refused", (text) => {
    expect(() => optionLines("--sbatch", text)).toThrow(/--sbatch ".*": expected options of sbatch, as in/);
  });

  it("name members in ranges", () => {
    expect(rangesText([0, 1, 2, 5, 7, 8])).toBe("0-2,5,7-8");
    expect(rangesText([])).toBe("");
  });
});
