import { describe, expect, it } from "vitest";
import { allNamed } from "./all-named.ts";
import { RentalError } from "./errors.ts";

const found = [{ name: "a" }, { name: "b" }, { name: "__proto__" }];

describe("names", () => {
  it("are found each once, in the order named", () => {
    expect(allNamed(found, ["b", "a", "b", "__proto__"], { field: "f", what: "key" })).toEqual([
      { name: "b" },
      { name: "a" },
      { name: "__proto__" },
    ]);
    expect(allNamed(found, [], { field: "f", what: "key" })).toEqual([]);
  });

  it("of which one is missing are refused by it, under the client's own field", () => {
    const missing = () => allNamed(found, ["a", "constructor", "x"], { field: "keys", what: "SSH key" });
    expect(missing).toThrow(RentalError);
    try {
      missing();
    } catch (error) {
      expect(error).toMatchObject({
        kind: "unknown-name",
        details: { fields: { keys: { message: 'There is no SSH key named "constructor".' } } },
      });
    }
  });
});
