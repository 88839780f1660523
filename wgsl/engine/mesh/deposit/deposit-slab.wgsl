// The planes of pencils (2 x 2 rows of cells) whose cells deposit-rows.wgsl and deposit-combine.wgsl fill at a time.

struct Slab {
  first: u32, // first plane of pencils (z / 2)
  count: u32,
  planes: u32, // planes of pencils whose particles reach it, from `first - 1` on
  origin: u32, // first plane of pencils of the mesh's buffers, which hold a slab of it or all
}

@group(0) @binding(0) var<uniform> slab: Slab;
