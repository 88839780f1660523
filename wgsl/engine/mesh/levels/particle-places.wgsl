// Where particles are, by slot.

@group(0) @binding(0) var<storage, read> positions: array<u32>; // [N, 3]
@group(0) @binding(1) var<storage, read> images: array<u32>; // [N], isolated
