// A catalog file (YAML): the regions, images, instance types, hosts and coupons that should exist, by name. Converted
// here into calls to the control API, in dependency order. Used by `lessor apply` and for the demo data. The control
// API validates the values; this file checks only the form.

import { type Document, LineCounter, parseDocument } from "yaml";
import type { paths } from "../client/control-api.ts";
import { isRecord } from "./record.ts";

/** One `PUT` to the control API. */
export interface CatalogCall {
  /** The kind of object; objects of one kind do not depend on each other. */
  readonly section: Section;
  /** Display name, such as `host us-east-1-a10-01`. */
  readonly what: string;
  /** Below the control API's prefix. */
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** The file is not a catalog; `message` says where, and how to fix it. */
export class CatalogFileError extends Error {
  override readonly name = "CatalogFileError";
}

/** The file's sections in order of application, and the control API collection of each. */
const sections = {
  regions: { path: "/regions/{name}", what: "region" },
  images: { path: "/images/{name}", what: "image" },
  instance_types: { path: "/instance-types/{name}", what: "instance type" },
  hosts: { path: "/hosts/{name}", what: "host" },
  coupons: { path: "/coupons/{code}", what: "coupon" },
} as const satisfies Record<string, { readonly path: keyof paths; readonly what: string }>;
type Section = keyof typeof sections;

/** The calls that create the catalog. Throws CatalogFileError. */
export function catalogCalls(yaml: string): CatalogCall[] {
  const document = parseYaml(yaml);
  const unknown = Object.keys(document).find((key) => !Object.hasOwn(sections, key));
  if (unknown !== undefined) {
    const known = Object.keys(sections).join(", ");
    throw new CatalogFileError(`"${unknown}" is not a section of a catalog. Sections: ${known}.`);
  }
  return (Object.keys(sections) as Section[]).flatMap((section) => callsOf(section, document[section]));
}

function callsOf(section: Section, entries: unknown): CatalogCall[] {
  if (entries === undefined || entries === null) return [];
  if (!isRecord(entries)) throw new CatalogFileError(`"${section}" must map names to objects.`);
  const { path, what } = sections[section];
  return Object.entries(entries).flatMap(([pattern, entry]) => {
    if (!isRecord(entry)) throw new CatalogFileError(`${what} "${pattern}" must be a map of its fields.`);
    const names = section === "hosts" ? expandRange(pattern) : [pattern];
    const body = section === "hosts" ? expandGpus(pattern, entry) : entry;
    return names.map((name) => ({
      section,
      what: `${what} ${name}`,
      path: path.replace(/\{\w+\}/, () => encodeURIComponent(name)),
      body,
    }));
  });
}

/** "gpu-[01-03]" is gpu-01, gpu-02, gpu-03; the first number's width is preserved. */
export function expandRange(pattern: string): string[] {
  const [, before, first, last, after] = /^([^[\]]*)\[(\d+)-(\d+)\]([^[\]]*)$/.exec(pattern) ?? [];
  if (before === undefined || first === undefined || last === undefined || after === undefined) {
    if (/[[\]]/.test(pattern)) throw new CatalogFileError(`Host "${pattern}": write one range as [01-12].`);
    return [pattern];
  }
  const count = Number(last) - Number(first) + 1;
  if (count < 1 || count > 10_000)
    throw new CatalogFileError(`Host "${pattern}": the range must count 1 to 10000 hosts.`);
  return Array.from(
    { length: count },
    (_, i) => `${before}${`${Number(first) + i}`.padStart(first.length, "0")}${after}`,
  );
}

/** Expands `gpus: {count, model, memory_gib}` to a list: the first half on NUMA node 0, the second on node 1. */
function expandGpus(pattern: string, host: Record<string, unknown>): Record<string, unknown> {
  const { gpus } = host;
  if (!isRecord(gpus)) return host;
  const { count, ...each } = gpus;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count > 64) {
    throw new CatalogFileError(`Host "${pattern}": gpus.count must be a whole number from 0 to 64.`);
  }
  const list = Array.from({ length: count }, (_, i) => ({
    address: `0000:${(0x10 + i).toString(16).padStart(2, "0")}:00.0`,
    ...each,
    numa_node: i < count / 2 ? 0 : 1,
  }));
  return { ...host, gpus: list };
}

function parseYaml(yaml: string): Record<string, unknown> {
  const lineCounter = new LineCounter();
  // `merge`: so that hosts can share fields through anchors (`<<: *name`).
  const parsed = parseDocument(yaml, { merge: true, uniqueKeys: true, lineCounter, prettyErrors: false });
  const problem = parsed.errors[0] ?? parsed.warnings[0];
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    throw new CatalogFileError(`Not valid YAML: line ${line}, column ${col}: ${problem.message}.`);
  }
  const document = resolved(parsed);
  if (document === null || document === undefined) return {};
  if (!isRecord(document)) throw new CatalogFileError("A catalog is a map of sections, such as regions and hosts.");
  return document;
}

function resolved(parsed: Document): unknown {
  try {
    return parsed.toJS();
  } catch (error) {
    // An alias without its anchor, or a merge of a non-map; the library reports no position for those.
    throw new CatalogFileError(`Not valid YAML: ${error instanceof Error ? error.message : error}.`);
  }
}
