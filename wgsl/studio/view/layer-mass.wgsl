// A layer of a picture of densities: counts in, mass a pixel out.

@group(0) @binding(3) var<storage, read> counts: array<vec4u>; // [layers, blocks]

fn fourOf(block: u32, plane: u32) -> vec4f { return vec4f(counts[block]); }
