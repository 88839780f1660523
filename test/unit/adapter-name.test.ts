/** What an adapter is called in summaries, reports and pages. */
import { describe, expect, it } from "vitest";
import { type AdapterSummary, adapterName } from "../../src/foundation/gpu/adapter.ts";

const UNNAMED: AdapterSummary = { vendor: "", architecture: "", device: "", description: "", software: false };
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0";

describe("an adapter's name", () => {
  it("is what it calls itself, as fully as it does", () => {
    expect(adapterName({ ...UNNAMED, description: "llvmpipe", device: "0x0", vendor: "mesa" }, FIREFOX)).toBe(
      "llvmpipe",
    );
    expect(adapterName({ ...UNNAMED, vendor: "apple", architecture: "metal-3" }, FIREFOX)).toBe("apple metal-3");
    expect(adapterName({ ...UNNAMED, vendor: "intel" }, FIREFOX)).toBe("intel");
  });

  it("is never empty: Firefox withholds all four words", () => {
    expect(adapterName(UNNAMED, FIREFOX)).toBe("unnamed adapter of Firefox 153");
    expect(adapterName({ ...UNNAMED, software: true }, FIREFOX)).toBe("unnamed software adapter of Firefox 153");
    expect(adapterName(UNNAMED, "")).toBe("unnamed adapter of this browser");
  });
});
