import { describe, expect, it } from "vitest";
import { partsOf } from "../../../test/support/guest/mime-reader.ts";
import { fc } from "../../../test/support/properties.ts";
import { multipart } from "./mime.ts";

const text = (body: string) => ({ contentType: "text/plain", body: Buffer.from(body, "utf8") });

describe("a multi-part message", () => {
  it("gives back the bytes of every part", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 300 }), { minLength: 1, maxLength: 5 }),
        (bodies) => {
          expect(partsOf(multipart(bodies.map(text))).map(({ body }) => body)).toEqual(bodies);
        },
      ),
    );
  });

  it("says at its very beginning that it is one, which cloud-init looks for", () => {
    expect(multipart([text("x")])).toMatch(
      /^Content-Type: multipart\/mixed; boundary="[^"]+"\nMIME-Version: 1\.0\n\n--/,
    );
  });

  it("names the type, the encoding and the file of a part", () => {
    const message = multipart([{ contentType: "text/cloud-config", fileName: "ours", body: Buffer.from("x") }]);
    expect(partsOf(message)[0]?.headers).toEqual({
      "content-type": 'text/cloud-config; charset="utf-8"',
      "content-transfer-encoding": "base64",
      "content-disposition": 'attachment; filename="ours"',
    });
  });

  it("has no line longer than a message may have", () => {
    const message = multipart([text("é".repeat(5000)), text("x".repeat(57)), text("x".repeat(58))]);
    expect(Math.max(...message.split("\n").map((line) => line.length))).toBeLessThanOrEqual(76);
  });

  it("takes a message in as it is, with a boundary that it does not hold", () => {
    const inner = multipart([text("inner 1"), text("inner 2")]);
    const outer = multipart([text("first"), { message: inner }, text("last")]);
    expect(outer).toContain(inner);
    expect(partsOf(outer).map(({ body }) => body)).toEqual(["first", "inner 1", "inner 2", "last"]);
  });

  it("is the same for the same parts, and has another boundary for others", () => {
    expect(multipart([text("x")])).toBe(multipart([text("x")]));
    const boundaries = ["x", "y"].map((body) => /boundary="([^"]+)"/.exec(multipart([text(body)]))?.[1]);
    expect(boundaries[0]).not.toBe(boundaries[1]);
  });
});
