import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { MalformedKey, WireReader, wireString, wireUint32 } from "./wire.ts";

const reader = (...parts: (Buffer | number[])[]) =>
  new WireReader(Buffer.concat(parts.map((part) => Buffer.from(part))));

describe("a string on the wire", () => {
  it("is read as it was written, one after the other, to the end", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (values) => {
        const wire = reader(...values.map((value) => wireString(Buffer.from(value))));
        for (const value of values) expect(wire.string()).toEqual(Buffer.from(value));
        expect(wire.afterTest()).toBe(true);
      }),
    );
  });

  it("is written with its length in bytes, not characters", () => {
    expect(wireString("ü")).toEqual(Buffer.from([0, 0, 0, 2, 0xc3, 0xbc]));
    expect(wireUint32(0xfffffffe)).toEqual(Buffer.from([0xff, 0xff, 0xff, 0xfe]));
  });

  it.each([
    ["nothing at all", []],
    ["half a length", [0, 0, 0]],
    ["a length without its bytes", [0, 0, 0, 1]],
    ["a byte too few", [0, 0, 0, 3, 1, 2]],
    ["the largest length there is", [0xff, 0xff, 0xff, 0xff, 1]],
  ])("is malformed when there is %s", (_what, bytes) => {
    expect(() => reader(bytes).string()).toThrow(MalformedKey);
  });

  it("leaves what is behind it", () => {
    const wire = reader(wireString("a"), [7]);
    wire.string();
    expect(wire.afterTest()).toBe(false);
  });
});

describe("a positive integer on the wire", () => {
  const integer = (...bytes: number[]) => reader(wireString(Buffer.from(bytes))).positiveInteger();

  it.each([
    [[1], 1n],
    [[0x7f], 127n],
    [[0, 0x80], 128n],
    [[1, 0, 1], 65537n],
    [[0, 0xff, 0xff], 65535n],
  ])("%j is %i", (bytes, value) => {
    expect(integer(...bytes)).toBe(value);
  });

  it.each([
    ["zero", []],
    ["zero in a byte", [0]],
    ["negative", [0x80]],
    ["negative and long", [0xff, 0x01]],
    ["one with a zero before it", [0, 1]],
    ["one with two zeros before it", [0, 0, 0x80]],
  ])("is malformed when it is %s", (_what, bytes) => {
    expect(() => integer(...bytes)).toThrow(MalformedKey);
  });
});
