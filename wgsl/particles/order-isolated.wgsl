// Ordering's isolated part: a packed box image belongs to each position and tells who has left.
//#expects IMAGES (the binding that follows the kernel's others)

@group(0) @binding(IMAGES) var<storage, read> images: array<u32>; // [N]
@group(0) @binding(IMAGES + 1) var<storage, read_write> newImages: array<u32>; // [N]

fn moveImage(i: u32, slot: u32) { newImages[slot] = images[i]; }
