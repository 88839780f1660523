// What the brightness of a density goes by: mass of a pixel.
//#expects range

@group(0) @binding(3) var<storage, read> map: array<f32>;

fn valueOf(pixel: u32) -> f32 { return range.scale * map[pixel]; }
