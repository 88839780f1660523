/** Where the force of a level's cells counts, for who draws it or writes it down. */
export interface LevelCore {
  name: string;
  /** Side of the level's cells, and half that of the cube about its centre [length]. */
  h: number;
  halfWidth: number;
  /** [3, box coordinates, length] */
  centre: readonly number[];
}
