// The fields of an interface's launches: one map says what each becomes in the order, and so how errors name each part
// of it. A field of the body without an entry does not compile, nor does an entry without a field. Used by
// api/operations.ts; the maps stand beside the schemas of the bodies.
//
// A field that only another interface has, such as `env_vars` in R, is ignored, like every unknown field, and a header
// says so, because a customer who sends one expects its effect. Source: specification, Launch bodies; decisions,
// "Unknown fields are ignored".

import { anyRegion } from "../../rental/catalog/region-store.ts";
import type { LaunchOrder, OrderPart } from "../../rental/launching/order.ts";

export const foreignFieldsHeader = "lessor-ignored-fields";

/** What a field becomes: a part of the order with the same value, or with a computed one. */
type Entry<Value> = { [Part in OrderPart]: SamePart<Value, Part> | MadePart<Value, Part> }[OrderPart];

/** Null counts as absent. */
type SamePart<Value, Part extends OrderPart> = NonNullable<Value> extends LaunchOrder[Part] ? Part : never;

interface MadePart<Value, Part extends OrderPart> {
  readonly as: Part;
  /** Undefined: as if the field were absent. */
  readonly from: (value: Value) => LaunchOrder[Part] | undefined;
  /** The part of the field that errors name; default: the field itself. */
  readonly within?: (value: Value) => string | undefined;
}

export interface LaunchMap<Body extends object> {
  /**
   * By the body's fields. Where several become one part, the first present one counts; of lists, all. Errors name the
   * first present one, or the first of all.
   */
  readonly fields: { readonly [Field in keyof Body]-?: Entry<Exclude<Body[Field], undefined>> };
  /** Parts of all orders of the interface, unless a field overrides them. */
  readonly always?: Partial<LaunchOrder>;
}

const unsaid = {
  region: anyRegion,
  quantity: 1,
  sshKeyNames: [],
  fileSystemNames: [],
  envVars: {},
  passwordWithoutKeys: false,
};

/**
 * The order of a validated body. `base`: the parts of an order that the body does not give. Throws what an entry's `from`
 * throws.
 */
export function orderFrom<Body extends object>(
  { fields, always }: LaunchMap<Body>,
  body: Body,
  base: Partial<LaunchOrder> = {},
): LaunchOrder {
  // According to `Entry`, for each field.
  const entries = Object.entries(fields) as [keyof Body & string, OrderPart | MadePart<unknown, OrderPart>][];
  const parts: Partial<Record<OrderPart, unknown>> = {};
  const names: Partial<Record<OrderPart, string>> = {};
  const isSaid = new Set<OrderPart>();
  for (const [field, entry] of entries) {
    const made = typeof entry === "string" ? { as: entry, from: (value: unknown) => value ?? undefined } : entry;
    const { as: part } = made;
    names[part] ??= field;
    const given: unknown = body[field];
    if (given === undefined) continue;
    const value = made.from(given);
    if (value !== undefined) {
      const before = parts[part];
      if (before === undefined) parts[part] = value;
      else if (Array.isArray(before) && Array.isArray(value)) parts[part] = [...before, ...value];
    }
    if (isSaid.has(part)) continue;
    isSaid.add(part);
    const within = "within" in made ? made.within?.(given) : undefined;
    names[part] = within === undefined ? field : `${field}.${within}`;
  }
  // Each part comes from its field's entry, and the type is in every body or its base.
  return { ...unsaid, ...always, ...base, ...parts, fields: names } as LaunchOrder;
}

/** The body fields that are in `all` (the fields of all interfaces) but not in this one; in the order of `all`. */
export function foreignFields<Body extends object>(
  all: readonly string[],
  { fields }: LaunchMap<Body>,
  body: object,
): string[] {
  return all.filter((name) => Object.hasOwn(body, name) && !Object.hasOwn(fields, name));
}
