// Which things a request was about, for the audit log. The lists below are closed: of a body and an answer only what
// stands in these fields is told, and only where it looks like an identifier or a name. So a password, an env value, a
// URL or a token, in whatever field, is told of nowhere. A new field that names an object is entered here.
// What is kept of one request is bounded in bytes, or requests could fill the log with what they only mention.
// Used by audit.ts.

import { holdsSecret } from "../../rental/holds-secret.ts";
import { parseUuid } from "../../rental/uuid.ts";

/** At the top of a body: fields that hold the UUID of an object, or a list of such. */
export const idFields: readonly string[] = ["instance_ids", "instance_uuids", "instanceUuids", "firewall_ruleset_ids"];

/** At the top of a body: fields that hold the name of an object, or a list of such. */
export const nameFields: readonly string[] = [
  ...[
    "name",
    "instanceName",
    "instance_type_name",
    "productName",
    "instance_type",
    "region_name",
    "regionName",
    "region",
  ],
  ...["ssh_key_names", "sshKeys", "sshKey", "file_system_names", "os_image_name", "image", "coupon", "engine"],
];

/** At the top of a body: a list of objects, and the field of each that holds the UUID of what it is about. */
export const mountsField = { list: "file_system_mounts", id: "file_system_id" } as const;

/** At the top of a body: the id of an encryption key. */
export const keyIdField = "key_id";

/** At any depth of an answer: fields that hold the UUID of an object, or a list of such. */
export const answerFields: readonly string[] = ["id", "uuid", "uuids", "instance_ids", "response"];

/** Of a list so many are looked at: more than a launch or a batch can be about. */
const most = 2_000;
/** So much text is kept of a request that did something, and of one that did not. 40 KiB hold the 1000 ids of the largest batch. */
const keptBytes = { ofChange: 40_960, ofOthers: 1_024 };
const longestName = 64;

/** What is kept of one request. */
export interface KeptObjects {
  readonly objects: string[];
  /** How many of them only the answer tells of: the last ones. */
  readonly made: number;
}

/**
 * Each once: what the path and the body name, and what the answer says was made. Bodies may be anything at all. Of more
 * than is kept, whole ones are left out from the end; what the path names and what was made comes before the rest.
 * `answer` is undefined where nothing was done.
 */
export function objectsOf(
  request: { params: unknown; body: unknown },
  answer: unknown,
  keep: keyof typeof keptBytes = "ofOthers",
): KeptObjects {
  const inPath = objectsInPath(request.params);
  const made = new Set<string>();
  addMade(made, answer);
  const inBody = objectsInBody(request.body);
  const kept = firstBytes([...inPath, ...made, ...inBody], keptBytes[keep]);
  const named = inPath.union(inBody).intersection(kept);
  const onlyMade = made.difference(named).intersection(kept);
  return { objects: [...named, ...onlyMade], made: onlyMade.size };
}

function objectsInPath(params: unknown): Set<string> {
  const found = new Set<string>();
  for (const [field, value] of Object.entries(fieldsOf(params))) {
    // What stands where an id should is told of only if it is one: it could be a secret that went astray.
    add(found, value, /^(id|uuid|.*_id)$/.test(field) ? parseUuid : name);
  }
  return found;
}

function objectsInBody(given: unknown): Set<string> {
  const found = new Set<string>();
  const body = fieldsOf(given);
  for (const field of idFields) if (Object.hasOwn(body, field)) add(found, body[field], parseUuid);
  for (const field of nameFields) if (Object.hasOwn(body, field)) add(found, body[field], name);
  const mounts = Object.hasOwn(body, mountsField.list) ? body[mountsField.list] : undefined;
  for (const one of Array.isArray(mounts) ? mounts.slice(0, most) : []) {
    add(found, fieldsOf(one)[mountsField.id], parseUuid);
  }
  if (Object.hasOwn(body, keyIdField)) add(found, body[keyIdField], keyId);
  return found;
}

/** The first of them that have room together. */
function firstBytes(objects: readonly string[], bytes: number): Set<string> {
  const kept = new Set<string>();
  let left = bytes;
  for (const object of objects) {
    if (kept.has(object)) continue;
    left -= Buffer.byteLength(object);
    if (left < 0) break;
    kept.add(object);
  }
  return kept;
}

function addMade(found: Set<string>, answer: unknown): void {
  if (Array.isArray(answer)) for (const one of answer) addMade(found, one);
  for (const [field, value] of Object.entries(fieldsOf(answer))) {
    if (answerFields.includes(field)) add(found, value, parseUuid);
    addMade(found, value);
  }
}

function add(found: Set<string>, value: unknown, read: (text: string) => string | undefined): void {
  for (const one of Array.isArray(value) ? value.slice(0, most) : [value]) {
    const object = typeof one === "string" ? read(one) : undefined;
    if (object !== undefined) found.add(object);
  }
}

/** Undefined for what can be no name: too long, several lines, empty, or a secret that was put there by mistake. */
function name(text: string): string | undefined {
  const isName = text.length <= longestName && /^[^\p{Cc}]+$/u.test(text) && !holdsSecret(text);
  return parseUuid(text) ?? (isName && text.isWellFormed() ? text : undefined);
}

function keyId(text: string): string | undefined {
  return /^[0-9a-f]{8}$/.test(text) ? text : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Parsed from JSON, or made by the router.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
