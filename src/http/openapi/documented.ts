// What the document says of a field in place of what its schema validates: limits that the rental enforces, whose sentences
// say more than a schema's could, and forms that generators can express. Validators know nothing of it; named-schemas.ts
// puts it in place. The limits themselves are in http/documented-limits.ts.
// Invariant: what the document allows and the rental does not, or the other way round, is a defect of the limit's source.

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
  readonly maximum?: number;
  readonly enum?: readonly string[];
  /** For the keys of a record. */
  readonly propertyNames?: { readonly pattern: string };
}

/** An option for a TypeBox schema. What the document says has no union: `anyOf` is left out. */
export function documented(says: Documented) {
  return { [documentedKey]: says };
}
