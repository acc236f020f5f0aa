// Which objects a request was about, for the audit log. The lists below are closed: only values of these fields are
// recorded, and only if they look like an identifier or a name. So a password, an env value, a URL or a token is never
// recorded, whatever field it is in. Add a new field that names an object here. The bytes recorded per request are
// limited, or requests could fill the log with what they only mention.

import { holdsSecret } from "../../rental/holds-secret.ts";
import { parseUuid } from "../../rental/uuid.ts";

/** At the top of a body: fields that hold the UUID of an object, or a list of UUIDs. */
export const idFields: readonly string[] = [
  "instance_ids",
  "instance_uuids",
  "instanceUuids",
  "firewall_ruleset_ids",
  "reservation_id",
  "person_id",
  "payment_method_id",
];

/** At the top of a body: fields that hold the name of an object, or a list of names. */
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

/** At the top of a body: a list of objects, and the field of each that holds the UUID. */
export const mountsField = { list: "file_system_mounts", id: "file_system_id" } as const;

/** At the top of a body: the id of an encryption key. */
export const keyIdField = "key_id";

/** At any depth of a response: fields that hold the UUID of an object, or a list of UUIDs. */
export const answerFields: readonly string[] = ["id", "uuid", "uuids", "instance_ids", "response"];

/** How many entries of a list are read: more than a launch or a batch can be about. */
const most = 2_000;
/** The most bytes recorded for a change, and for other requests. 40 KiB hold the 1000 ids of the largest batch. */
const keptBytes = { ofChange: 40_960, ofOthers: 1_024 };
const longestName = 64;

/** What is recorded of one request. */
export interface KeptObjects {
  readonly objects: string[];
  /** How many of them come from the response only: the last ones. */
  readonly made: number;
}

/**
 * Each object once: those named by the path and the body, and those created according to the response. Bodies may have
 * any shape. Over the limit, whole entries are dropped from the end; the path's and created ones come first. `answer`
 * is undefined if nothing was changed.
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
    // An id field's value is recorded only if it is a UUID: it could be a secret put there by mistake.
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

/** The first objects that fit together. */
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

/** Undefined for what cannot be a name: too long, several lines, empty, or a secret put there by mistake. */
function name(text: string): string | undefined {
  const isName = text.length <= longestName && /^[^\p{Cc}]+$/u.test(text) && !holdsSecret(text);
  return parseUuid(text) ?? (isName && text.isWellFormed() ? text : undefined);
}

function keyId(text: string): string | undefined {
  return /^[0-9a-f]{8}$/.test(text) ? text : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Parsed from JSON, or created by the router.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
