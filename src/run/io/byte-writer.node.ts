/** A binary file that is written from its beginning to its end, in pieces that are large or few. */
import { closeSync, openSync, writeFileSync } from "node:fs";

export class ByteWriter {
  private constructor(private readonly handle: number) {}

  static async to(file: string, use: (out: ByteWriter) => Promise<void>): Promise<void> {
    const handle = openSync(file, "w");
    try {
      await use(new ByteWriter(handle));
    } finally {
      closeSync(handle);
    }
  }

  write(data: ArrayBufferView | string): void {
    writeFileSync(this.handle, typeof data === "string" ? Buffer.from(data) : (data as NodeJS.ArrayBufferView));
  }
}
