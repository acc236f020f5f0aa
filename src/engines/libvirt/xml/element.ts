// XML for libvirt, as typed data. The library escapes every value; what XML cannot contain is rejected. Used by
// everything that describes something to libvirt: domains, volumes, pools, reservations.

import { XMLBuilder } from "fast-xml-parser";

export interface Element {
  readonly name: string;
  /** Undefined ones are left out. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly children: readonly (Element | string)[];
}

type Attributes = Element["attributes"];
type Child = Element | string | undefined | readonly Child[];

/** An element with attributes and children; undefined children are left out, lists are spread. */
export function element(name: string, attributes: Attributes = {}, ...children: readonly Child[]): Element {
  return { name, attributes, children: children.flatMap(flat) };
}

function flat(child: Child): (Element | string)[] {
  if (child === undefined) return [];
  if (typeof child === "string") return [child];
  return isList(child) ? child.flatMap(flat) : [child];
}

function isList(child: Element | readonly Child[]): child is readonly Child[] {
  return Array.isArray(child);
}

const builder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  processEntities: true,
});

/** The text of the document. Throws "BUG: …" for names and values that XML cannot contain. */
export function xmlText(root: Element): string {
  return builder.build([ordered(root)]);
}

/** In the library's form. */
function ordered({ name, attributes, children }: Element): object {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [[checkedName(key), checked(`${value}`)] as const],
  );
  const inside = children.map((child) => (typeof child === "string" ? { "#text": checked(child) } : ordered(child)));
  return { [checkedName(name)]: inside, ...(given.length === 0 ? {} : { ":@": Object.fromEntries(given) }) };
}

function checkedName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_.:-]*$/.test(name)) throw new Error("BUG: a name that XML cannot hold");
  return name;
}

/** XML has no control characters, and a line break in an attribute is read back as a space. */
function checked(value: string): string {
  if (/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(value)) throw new Error("BUG: a value with characters that XML cannot hold");
  return value;
}
