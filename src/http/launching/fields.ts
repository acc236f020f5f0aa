// The fields of an interface's launches: one map says what each becomes in the order, and so what errors call each part of
// it. A field of the body without an entry does not compile, nor does an entry without a field. Used by api/operations.ts;
// the maps stand beside the schemas of the bodies.
//
// A field that another interface knows and this one does not, such as `env_vars` in R, is ignored, as every unknown field
// is, and a header says so, because a customer who sends one expects what it does elsewhere. Source: specification, Launch
// bodies; decisions, "Unknown fields are ignored".

import { anyRegion } from "../../rental/catalog/region-store.ts";
import type { LaunchOrder, OrderPart } from "../../rental/launching/order.ts";

export const foreignFieldsHeader = "lessor-ignored-fields";

/** What a field becomes: a part of the order with the same value, or with one that is made from it. */
type Entry<Value> = { [Part in OrderPart]: SamePart<Value, Part> | MadePart<Value, Part> }[OrderPart];

/** Null is the same as none here. */
type SamePart<Value, Part extends OrderPart> = NonNullable<Value> extends LaunchOrder[Part] ? Part : never;

interface MadePart<Value, Part extends OrderPart> {
  readonly as: Part;
  /** Undefined: as if the field were left out. */
  readonly from: (value: Value) => LaunchOrder[Part] | undefined;
  /** What within the field errors name; the field itself unless told. */
  readonly within?: (value: Value) => string | undefined;
}

export interface LaunchMap<Body extends object> {
  /**
   * By the body's fields. Where several become one part, the first that is there counts; of lists, all. Errors name the first
   * that is there, or the first of all.
   */
  readonly fields: { readonly [Field in keyof Body]-?: Entry<Exclude<Body[Field], undefined>> };
  /** What all orders of the interface have besides, unless a field says otherwise. */
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

/** The order that a validated body asks for. Throws what an entry's `from` throws. */
export function orderFrom<Body extends object>({ fields, always }: LaunchMap<Body>, body: Body): LaunchOrder {
  // As `Entry` says for each field.
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
  // Each part is what its field's entry makes of it, and the type is a field that every interface asks for.
  return { ...unsaid, ...always, ...parts, fields: names } as LaunchOrder;
}

/** Those fields of the body that are in `all`, the fields of all interfaces, and not in this one's; in the order of `all`. */
export function foreignFields<Body extends object>(
  all: readonly string[],
  { fields }: LaunchMap<Body>,
  body: object,
): string[] {
  return all.filter((name) => Object.hasOwn(body, name) && !Object.hasOwn(fields, name));
}
