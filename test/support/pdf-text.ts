// The text of a PDF as pdfkit writes it, read from the file alone: compressed streams, fonts with a table from their glyphs to
// Unicode, and texts as lists of glyphs. What a reader that copies text would get.

import { inflateSync } from "node:zlib";

interface Parsed {
  readonly dictionary: string;
  readonly stream: string | undefined;
}

/** The texts of each page, in the order in which they are drawn. */
export function textOfPdf(pdf: Buffer): string[][] {
  const objects = objectsOf(pdf);
  const fonts = new Map<string, ReadonlyMap<string, string>>();
  for (const { dictionary } of objects.values()) {
    for (const [, name = "", id = ""] of dictionary.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const unicode = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.dictionary ?? "")?.[1];
      if (unicode !== undefined) fonts.set(name, glyphsOf(objects.get(unicode)?.stream ?? ""));
    }
  }
  const pages = [...objects.values()].filter(({ dictionary }) => /\/Type \/Page\b(?!s)/.test(dictionary));
  return pages.map(({ dictionary }) => {
    const content = objects.get(/\/Contents (\d+) 0 R/.exec(dictionary)?.[1] ?? "")?.stream ?? "";
    return textsOf(content, fonts);
  });
}

/** Whether every font is embedded. */
export function hasAllFonts(pdf: Buffer): boolean {
  const descriptors = [...objectsOf(pdf).values()].filter(({ dictionary }) =>
    dictionary.includes("/Type /FontDescriptor"),
  );
  return descriptors.length > 0 && descriptors.every(({ dictionary }) => /\/FontFile2 \d+ 0 R/.test(dictionary));
}

function objectsOf(pdf: Buffer): ReadonlyMap<string, Parsed> {
  const text = pdf.toString("latin1");
  const found = text.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\n(?:endobj|stream\n)/gm);
  return new Map(
    [...found].map(([all, id = "", dictionary = ""], index, list): [string, Parsed] => {
      if (!all.endsWith("stream\n")) return [id, { dictionary, stream: undefined }];
      const start = (index < list.length ? text.indexOf(all) : 0) + all.length;
      const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? 0);
      const bytes = pdf.subarray(start, start + length);
      const plain = dictionary.includes("/FlateDecode") ? inflateSync(bytes) : bytes;
      return [id, { dictionary, stream: plain.toString("latin1") }];
    }),
  );
}

/** From glyphs, four hexadecimal digits, to text. */
function glyphsOf(table: string): ReadonlyMap<string, string> {
  const glyphs = new Map<string, string>();
  for (const [, first = "", list = ""] of table.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g)) {
    const texts = [...list.matchAll(/<([0-9a-f ]+)>/g)].map(([, hex = ""]) =>
      Buffer.from(hex.replaceAll(" ", ""), "hex").swap16().toString("utf16le"),
    );
    for (const [index, text] of texts.entries()) {
      glyphs.set((Number.parseInt(first, 16) + index).toString(16).padStart(4, "0"), text);
    }
  }
  return glyphs;
}

function textsOf(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  const texts: string[] = [];
  let font = new Map() as ReadonlyMap<string, string>;
  for (const [, name, drawn] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (name !== undefined) font = fonts.get(name) ?? new Map();
    const glyphs = [...(drawn ?? "").matchAll(/<([0-9a-f]*)>/g)].flatMap(([, hex = ""]) => hex.match(/.{4}/g) ?? []);
    if (drawn !== undefined) texts.push(glyphs.map((glyph) => font.get(glyph) ?? "?").join(""));
  }
  return texts;
}
