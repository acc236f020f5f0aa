// What the document says of a field instead of its validated schema: limits that the rental enforces, whose messages
// say more than a schema's could, and forms that generators can express. Validators ignore it; named-schemas.ts inserts
// it. The limits themselves are in http/api/documented-limits.ts.
// Invariant: a difference between what the document and the rental allow is a defect of the limit's source.

import type { Limits } from "../../config.ts";

/** Limits that an operator sets: the document shows those of this service. */
export type ConfiguredLimits = Pick<Limits, "maxQuantity">;

/** The name of a configured limit, in place of the number. */
export interface ConfiguredLimit {
  readonly configured: keyof ConfiguredLimits;
}

/** The schema property that holds it. */
export const documentedKey = "documented";

/** The supported part of JSON Schema. */
export interface Documented {
  readonly type?: "string";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: "date" | "date-time";
  readonly minimum?: number;
  readonly maximum?: number | ConfiguredLimit;
  readonly enum?: readonly string[];
  /** For the keys of a record. */
  readonly propertyNames?: { readonly pattern: string };
}

/** An option for a TypeBox schema. The documented form is no union: `anyOf` is left out. */
export function documented(says: Documented) {
  return { [documentedKey]: says };
}
