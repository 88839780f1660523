/**
 * What a picture leaves out to begin with. Dark haloes have most of the mass and would drown the stars in them: where there are
 * both, the stars come first, and the page says what isn't drawn.
 */
import type { Species } from "../particles/state.ts";

/** The names of the components that are left out; none where colours tell species apart, or where the haloes are all that there is. */
export function leftOutFirst(
  components: readonly { name: string; species: Species }[],
  quantity = "density",
): readonly string[] {
  const shines = components.some(({ species }) => species !== "halo" && species !== "black-holes");
  if (!shines || quantity === "species") return [];
  return components.filter(({ species }) => species === "halo").map(({ name }) => name);
}
