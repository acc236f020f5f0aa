import { describe, expect, it } from "vitest";
import { byIdOrName } from "./names.ts";

const things = [
  { id: "0198aaaa-1", name: "training" },
  { id: "0198aaaa-2", name: "training-2" },
  { id: "0199bbbb-3", name: "serving" },
  { id: "0199cccc-4", name: "serving" },
];
const named = (word: string) => byIdOrName(word, things, { what: "machine", list: "lessor list" });

describe("a word", () => {
  it("means what is called exactly so, though others begin so", () => {
    expect(named("training").id).toBe("0198aaaa-1");
    expect(named("0199cccc-4").name).toBe("serving");
  });

  it("means the only one that begins so, by name or by id", () => {
    expect(named("training-").id).toBe("0198aaaa-2");
    expect(named("0199c").id).toBe("0199cccc-4");
  });

  it("that means several means none, and they are listed", () => {
    for (const word of ["serving", "train", "0198aaaa", "s"]) {
      expect(() => named(word)).toThrow(expect.objectContaining({ exit: "usage" }));
    }
    expect(() => named("serving")).toThrow(
      expect.objectContaining({ suggestion: expect.stringMatching(/0199bbbb-3[\s\S]*0199cccc-4/) }),
    );
  });

  it("that means nothing is told with what may have been meant", () => {
    expect(() => named("trainnig")).toThrow(
      expect.objectContaining({ exit: "not-found", suggestion: 'Did you mean "training"?' }),
    );
    expect(() => named("xyz")).toThrow(expect.objectContaining({ suggestion: "Run lessor list." }));
    expect(() => named("")).toThrow(expect.objectContaining({ exit: "not-found" }));
  });
});
