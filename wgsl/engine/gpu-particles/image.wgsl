// Box image of the particle in a slot, packed (lib/box-image.wgsl): 0 in a periodic box, where no images are bound.
//#expects ISOLATED, images

fn imageOf(slot: u32) -> u32 {
  var image = 0u;
//#if ISOLATED
  image = images[slot];
//#end
  return image;
}
