// Reads libvirt's XML. Used by everything that reads descriptions by libvirt.

import { XMLParser } from "fast-xml-parser";

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  // Attributes keep their spaces; the node trims text.
  trimValues: false,
});

export class XmlNode {
  readonly name: string;
  readonly #attributes: Readonly<Record<string, string>>;
  readonly #inside: readonly XmlNode[];
  /** Its direct text, trimmed. */
  readonly text: string;

  /** `raw`: the library's form: one key that is the name, and ":@" with the attributes. */
  constructor(raw: Readonly<Record<string, unknown>>) {
    this.name = Object.keys(raw).find((key) => key !== ":@") ?? "";
    this.#attributes = (raw[":@"] ?? {}) as Record<string, string>;
    const inside = (raw[this.name] ?? []) as readonly Readonly<Record<string, unknown>>[];
    this.#inside = inside.filter((one) => !("#text" in one)).map((one) => new XmlNode(one));
    const texts = inside.flatMap((one) => ("#text" in one ? [String(one["#text"])] : []));
    this.text = texts.join("").trim();
  }

  /** The elements at the end of the path, in order. */
  all(...path: readonly string[]): XmlNode[] {
    const [name, ...rest] = path;
    if (name === undefined) return [this];
    return this.#inside.filter((one) => one.name === name).flatMap((one) => one.all(...rest));
  }

  /** The first of them. */
  one(...path: readonly string[]): XmlNode | undefined {
    return this.all(...path)[0];
  }

  attribute(name: string): string | undefined {
    return Object.hasOwn(this.#attributes, name) ? this.#attributes[name] : undefined;
  }

  /** A whole number of at least 0; undefined otherwise. */
  number(name: string): number | undefined {
    const value = this.attribute(name);
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
  }

  /** A size in bytes; undefined if invalid. Without a unit: KiB, as in libvirt. */
  get bytes(): number | undefined {
    const unit = units[this.attribute("unit") ?? "KiB"];
    return unit !== undefined && /^\d+$/.test(this.text) ? Number(this.text) * unit : undefined;
  }
}

const units: Readonly<Record<string, number>> = {
  bytes: 1,
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** All documents of a text. Throws for invalid XML. */
export function readXml(text: string): XmlNode[] {
  const parsed: readonly Readonly<Record<string, unknown>>[] = parser.parse(text);
  return parsed.filter((raw) => !("#text" in raw) && !("?xml" in raw)).map((raw) => new XmlNode(raw));
}

/** The only document of a text. Throws where there is none. */
export function readOne(text: string): XmlNode {
  const [root] = readXml(text);
  if (root === undefined) throw new Error("libvirt printed no XML where it was expected");
  return root;
}
