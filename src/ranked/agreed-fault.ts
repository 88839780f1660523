/** What went wrong on one of the ranks and was told to all, so that they have stopped at the same place: no rank waits. */
import { type ErrorKind, GravmeshError } from "../base/errors.ts";
import { agreed, type Ranks } from "../ranks/ranks.ts";

export class AgreedFault extends GravmeshError {}

/** Throws on every rank what `look` throws on rank 0. */
export async function soundForAll(ranks: Ranks, look: () => void): Promise<void> {
  const fault = await agreed(ranks, (): { kind: ErrorKind; message: string } | null => {
    try {
      look();
      return null;
    } catch (error) {
      if (error instanceof GravmeshError) return { kind: error.kind, message: error.message };
      throw error;
    }
  });
  if (fault) throw new AgreedFault(fault.kind, fault.message);
}
