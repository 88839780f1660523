/** Bindings read from WGSL: what an entry point and the functions it calls name, and nothing else. */
import { expect, it } from "vitest";
import { bindingsOf } from "../../src/foundation/gpu/bindings.ts";

const CODE = `
@group(0) @binding(0) var<uniform> search: Search;
@group(0) @binding(1) var<storage, read> positions: array<u32>; // not heads
@group(0) @binding(1) var<storage, read> sizes: array<u32>;
@group(0) @binding(TABLE) var<storage, read_write> heads: array<u32>;
@group(0) @binding(TABLE + 1) var<storage, read> table: array<f32>;

fn length(table: Table) -> u32 { return search.count; }

fn place(i: u32) -> u32 {
  if (i >= length()) { // beyond the table
    return 0u;
  }
  let sizes = other.table; // a variable and a member, no buffers
  return positions[i] + sizes;
}

@compute @workgroup_size(64)
fn insert(@builtin(global_invocation_id) id: vec3u) {
  heads[id.x] = place(id.x);
}

@compute @workgroup_size(64) fn number(@builtin(global_invocation_id) id: vec3u) {
  heads[id.x] = sizes[id.x];
}

@compute @workgroup_size(64) fn both() { heads[0] = sizes[0] + positions[0]; }
`;

it("takes what an entry point reaches, by number", () => {
  const insert = bindingsOf(CODE, "insert", { TABLE: 4 });
  expect([...insert]).toEqual([
    [0, { name: "search", kind: "uniform" }],
    [1, { name: "positions", kind: "read" }],
    [4, { name: "heads", kind: "read-write" }],
  ]);
});

it("takes one of several buffers with the same number, and adds to constants", () => {
  expect([...bindingsOf(CODE, "number", { TABLE: 2 })]).toEqual([
    [1, { name: "sizes", kind: "read" }],
    [2, { name: "heads", kind: "read-write" }],
  ]);
  const reading = CODE.replace("sizes[id.x]", "u32(table[id.x])");
  expect([...bindingsOf(reading, "number", { TABLE: 2 }).keys()]).toEqual([2, 3]);
});

it("refuses two buffers of one number", () => {
  expect(() => bindingsOf(CODE, "both", { TABLE: 2 })).toThrow("both uses several buffers with binding 1, sizes among");
});
