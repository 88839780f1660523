// For an update after which the particles stay in the order that they have: nobody counts them.

fn countInto(slot: u32, key: u32) {}

fn leaveMark(slot: u32) {}
