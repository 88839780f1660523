// Mass of the particle in a slot [mass units]: MASS_UNITS of each where masses are equal, and then nothing is read.
//#expects EQUAL_MASSES, MASS_BY_SLOT, MASS_UNITS, ids, massUnits (by id, or in chunks by slot)

fn massOf(slot: u32) -> u32 {
  if (EQUAL_MASSES) {
    return u32(MASS_UNITS);
  }
  if (MASS_BY_SLOT) {
    return massUnits[slot];
  }
  return massUnits[ids[slot]];
}
