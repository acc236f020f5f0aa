import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/properties.ts";
import { element, xmlText } from "./element.ts";
import { readOne, readXml } from "./read.ts";

describe("an element as text", () => {
  it("has its attributes and what is in it", () => {
    const disk = element(
      "disk",
      { type: "volume" },
      element("source", { pool: "p", volume: "v" }),
      element("readonly"),
    );
    expect(xmlText(disk)).toBe('<disk type="volume"><source pool="p" volume="v"/><readonly/></disk>');
  });

  it("leaves out what is undefined, and spreads lists", () => {
    const cells = [0, 1].map((id) => element("cell", { id, memory: undefined }));
    expect(xmlText(element("numa", {}, undefined, cells, "text"))).toBe(
      '<numa><cell id="0"/><cell id="1"/>text</numa>',
    );
  });

  it("keeps an attribute that is the word true", () => {
    expect(xmlText(element("port", { isolated: "true" }))).toBe('<port isolated="true"/>');
  });

  it("escapes every value, so that it comes back as it was", () => {
    const value = fc.string({ unit: "grapheme" }).filter((text) => !/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(text));
    fc.assert(
      fc.property(value, value, (attribute, text) => {
        const back = readOne(xmlText(element("a", { b: attribute }, element("c", {}, text))));
        expect(back.attribute("b")).toBe(attribute);
        expect(back.one("c")?.text).toBe(text.trim());
      }),
    );
  });

  it.each(["</a><b/>", '"><x y="', "&lt;", "<![CDATA[x]]>", "<!-- x -->", "]]>", "a &amp;amp; b"])(
    "takes %j for text, never for XML",
    (text) => {
      const back = readOne(xmlText(element("a", { b: text }, text)));
      expect([back.attribute("b"), back.text, back.all().length]).toEqual([text, text, 1]);
    },
  );

  it.each(["\0", "a\nb", "\t", "\u001b[0m", "\uFFFF", "\ud800"])("refuses %j, which XML cannot hold", (text) => {
    expect(() => xmlText(element("a", { b: text }))).toThrow("BUG: a value with characters that XML cannot hold");
    expect(() => xmlText(element("a", {}, text))).toThrow("BUG: a value with characters that XML cannot hold");
  });

  it.each(["a b", "", "1a", "a>", "a/", "<"])("refuses the name %j", (name) => {
    expect(() => xmlText(element(name))).toThrow("BUG: a name that XML cannot hold");
    expect(() => xmlText(element("a", { [name]: "b" }))).toThrow("BUG: a name that XML cannot hold");
  });
});

describe("XML that is read", () => {
  const pool = readOne(`<?xml version='1.0'?>
    <pool type='dir'>
      <capacity unit='bytes'>1024</capacity> <available>2</available><weird unit='fathom'>3</weird>
      <target><path>/a &amp; b</path><path>/c</path></target>
    </pool>`);

  it("is asked by path, for all or the first", () => {
    expect(pool.all("target", "path").map((path) => path.text)).toEqual(["/a & b", "/c"]);
    expect(pool.one("target", "path")?.text).toBe("/a & b");
    expect(pool.one("target", "nothing", "path")).toBeUndefined();
    expect([pool.name, pool.attribute("type"), pool.attribute("constructor")]).toEqual(["pool", "dir", undefined]);
  });

  it("knows sizes with their units", () => {
    expect(["capacity", "available", "weird"].map((name) => pool.one(name)?.bytes)).toEqual([1024, 2048, undefined]);
  });

  it("knows whole numbers, and what is none", () => {
    const cpu = readOne("<cpu id='12' negative='-1' hex='0x10'/>");
    expect(["id", "negative", "hex", "none"].map((name) => cpu.number(name))).toEqual([
      12,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("may be several documents in one text, as several commands print them", () => {
    expect(readXml("<device><name>a</name></device>\n<device><name>b</name></device>\n")).toHaveLength(2);
    expect(readXml("")).toEqual([]);
    expect(() => readOne("  ")).toThrow("no XML");
  });
});
