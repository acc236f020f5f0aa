// What the fake's Nova checks in several places: rights, metadata, tags.

import { type FakeCall, list, refusal, texts } from "./exchange.ts";
import { isAdmin } from "./identity.ts";
import type { FakeFlavor } from "./servers.ts";

const metadataKey = /^[a-zA-Z0-9-_:. ]{1,255}$/;

/** Throws if its roles do not admit the caller. */
export function admitted({ caller }: FakeCall, rule: string): void {
  if (isAdmin(caller)) return;
  const name = rule.startsWith("compute:") ? rule : `os_compute_api:${rule}`;
  throw refusal("compute", 403, `Policy doesn't allow ${name} to be performed.`);
}

/** Whether the caller may use, and see, a flavor. */
export function usable({ caller }: FakeCall, { public: everyone, access }: FakeFlavor): boolean {
  return everyone || isAdmin(caller) || access.has(caller.project.id);
}

/** Throws if Nova would not take it. */
export function checkedMetadata(value: unknown): Record<string, string> {
  const said = texts(value);
  const field = "Invalid input for field/attribute";
  for (const [key, one] of Object.entries(said)) {
    if (!metadataKey.test(key)) {
      const why = `${field} metadata. Value: {'${key}': '${one}'}. '${key}' does not match any of the regexes`;
      throw refusal("compute", 400, `${why}: '^[a-zA-Z0-9-_:. ]{1,255}$'`);
    }
    if (one.length > 255) throw refusal("compute", 400, `${field} ${key}. Value: ${one}. '${one}' is too long`);
  }
  return said;
}

/** Throws if these are more than a server may have. */
export function tooMuchMetadata(metadata: object): void {
  if (Object.keys(metadata).length <= 128) return;
  throw refusal("compute", 403, "Maximum number of metadata items exceeds 128");
}

/** Throws if Nova would not take them. */
export function checkedTags(value: unknown): string[] {
  const tags = list(value).map(String);
  tags.forEach((tag, index) => {
    const field = `Invalid input for field/attribute ${index}. Value: ${tag}.`;
    if (/[,/]/.test(tag)) throw refusal("compute", 400, `${field} '${tag}' does not match '^[^,/]*$'`);
    if (tag.length > 60) throw refusal("compute", 400, `${field} '${tag}' is too long`);
  });
  if (tags.length > 50) throw refusal("compute", 400, "Invalid input for field/attribute tags. is too long");
  return [...new Set(tags)];
}
