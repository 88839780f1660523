// Number and mass alone, by distance from the centre.
//#import "bins.wgsl"

fn prepare(invocation: Invocation) {}

fn binOfSlot(slot: u32) -> u32 {
  return binOf(distance2(slot));
}

fn termsOf(slot: u32, share: f32) -> Terms {
  return Terms();
}
