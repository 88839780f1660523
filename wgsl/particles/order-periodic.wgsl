// Ordering's periodic part: there are no images.

var<private> images: array<u32, 1>; // for imageOf, which doesn't read it

fn moveImage(i: u32, slot: u32) {}
