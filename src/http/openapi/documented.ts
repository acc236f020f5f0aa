// What the document says of a field in place of what its schema validates: limits that the rental enforces, whose sentences
// say more than a schema's could, and forms that generators can express. Validators know nothing of it; named-schemas.ts
// puts it in place. The limits themselves are in http/api/documented-limits.ts.
// Invariant: what the document allows and the rental does not, or the other way round, is a defect of the limit's source.

import type { Limits } from "../../config.ts";

/** Limits that an operator sets: the document of a service has those of this service. */
export type ConfiguredLimits = Pick<Limits, "maxQuantity">;

/** The name of one, in the place of the number. */
export interface ConfiguredLimit {
  readonly configured: keyof ConfiguredLimits;
}

/** Where a schema keeps it. */
export const documentedKey = "documented";

/** As much of a JSON schema as is said so. */
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

/** An option for a TypeBox schema. What the document says has no union: `anyOf` is left out. */
export function documented(says: Documented) {
  return { [documentedKey]: says };
}
