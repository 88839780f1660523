/** One attempt against a door of the program: `npm run test:hostile` makes them all. */
export interface Try {
  /** What is tried, in a few words; unique among its kind. */
  readonly name: string;
  /** Resolves to what is at fault, undefined where nothing is. A try leaves nothing behind. */
  run(): Promise<string | undefined>;
}
