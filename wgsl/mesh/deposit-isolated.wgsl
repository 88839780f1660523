// Deposit's isolated part: packed box images tell who is outside.
//#expects IMAGES (their binding)

@group(0) @binding(IMAGES) var<storage, read> images: array<u32>; // [N]

fn imageOf(i: u32) -> u32 { return images[i]; }
