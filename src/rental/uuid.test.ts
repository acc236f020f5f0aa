import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { asUuid, parseUuid } from "./uuid.ts";

describe("an identifier", () => {
  it("is taken with or without dashes and in either case, and has one form inside", () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        for (const written of [id, id.toUpperCase(), id.replaceAll("-", ""), id.replaceAll("-", "").toUpperCase()]) {
          expect(parseUuid(written)).toBe(id);
        }
      }),
    );
  });

  it("is nothing that only looks like one", () => {
    const id = "0198c0de-1111-7222-8333-444455556666";
    const alike = [
      "",
      "x",
      `${id}0`,
      id.slice(1),
      ` ${id}`,
      `${id}\n`,
      `{${id}}`,
      id.replace("0", "g"),
      `urn:uuid:${id}`,
    ];
    for (const text of alike) expect(parseUuid(text), JSON.stringify(text)).toBeUndefined();
  });

  it("that is none finds what nothing has", () => {
    expect(asUuid("nonsense")).toBe("00000000-0000-0000-0000-000000000000");
    expect(asUuid("0198C0DE111172228333444455556666")).toBe("0198c0de-1111-7222-8333-444455556666");
  });
});
