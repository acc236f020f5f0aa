import { expect, it } from "vitest";
import { XdrReader, XdrWriter } from "./xdr.ts";

it("values come back in their order, each at a multiple of four bytes", () => {
  const { bytes } = new XdrWriter()
    .uint(0xffff_fffe)
    .text("ü")
    .someText("abcd")
    .fixed(Buffer.from([1, 2, 3]))
    .uint(0)
    .uint(2);
  expect(bytes.length).toBe(4 + 8 + 12 + 4 + 4 + 4);
  const reader = new XdrReader(Buffer.concat([bytes, new XdrWriter().uint(7).uint(8).bytes]));
  expect(reader.int()).toBe(-2);
  expect([reader.text(), reader.someText(), reader.fixed(3), reader.someText()]).toEqual([
    ...["ü", "abcd", Buffer.from([1, 2, 3])],
    undefined,
  ]);
  expect(reader.list(() => reader.uint())).toEqual([7, 8]);
});

it("a number of 64 bits has its high half first, and what is left needs no length", () => {
  const { bytes } = new XdrWriter().hyper(5 * 2 ** 40 + 3).uint(9);
  const reader = new XdrReader(Buffer.concat([bytes, Buffer.from("abc")]));
  expect([reader.uint(), reader.uint(), reader.uint()]).toEqual([5 * 2 ** 8, 3, 9]);
  expect([reader.rest().toString(), reader.rest().length]).toEqual(["abc", 0]);
});

it("what is too short is no value", () => {
  expect(() => new XdrReader(Buffer.alloc(3)).uint()).toThrow(RangeError);
  expect(() => new XdrReader(new XdrWriter().uint(1000).bytes).text()).toThrow(RangeError);
});
