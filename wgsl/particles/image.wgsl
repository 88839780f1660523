// Box image of the particle in a slot, packed (lib/box-image.wgsl): 0 in a periodic box, where `images` is anything.
//#expects ISOLATED, images

fn imageOf(slot: u32) -> u32 {
  if (ISOLATED) {
    return images[slot];
  }
  return 0u;
}
