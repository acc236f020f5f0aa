// What the usual service answers with, derived from a response of the measured one: rows for its table, and the schema that
// its serializer is compiled from. Used by start.ts and program.ts.

/** A response of M, in parts. */
export interface Contents {
  /** The keys of a row: columns of the table. */
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How the rows are put together: a list, one alone, or an object by these keys. */
  readonly shape: "list" | "one" | "by key";
  readonly keys: readonly string[];
}

/** `body`: an object with `data`, a list of objects, an object of objects, or one object with anything else in it. */
export function contentsOf(body: { readonly data: object }): Contents {
  const { data } = body;
  if (Array.isArray(data)) return of("list", data, []);
  const values: readonly Contents["rows"][number][] = Object.values(data);
  const isByKey = values.length > 0 && values.every((value) => typeof value === "object" && value !== null);
  return isByKey ? of("by key", values, Object.keys(data)) : of("one", [{ ...data }], []);
}

function of(shape: Contents["shape"], rows: Contents["rows"], keys: readonly string[]): Contents {
  return { shape, rows, keys, columns: [...new Set(rows.flatMap((row) => Object.keys(row)))] };
}

/** The body that the rows of the table make. */
export function bodyOf(
  { shape, keys }: Pick<Contents, "shape" | "keys">,
  rows: readonly Readonly<Record<string, unknown>>[],
): { data: unknown } {
  if (shape === "list") return { data: rows };
  if (shape === "one") return { data: rows[0] };
  return { data: Object.fromEntries(keys.map((key, index) => [key, rows[index]])) };
}

/** A JSON schema that the value conforms to, with every property named, as somebody would write it by hand. */
export function schemaOf(value: unknown): object {
  if (Array.isArray(value)) return { type: "array", items: value.length === 0 ? {} : schemaOf(value[0]) };
  if (typeof value === "object" && value !== null) {
    const properties = Object.fromEntries(Object.entries(value).map(([key, of]) => [key, schemaOf(of)]));
    return { type: "object", properties };
  }
  if (typeof value === "number") return { type: Number.isInteger(value) ? "integer" : "number", nullable: true };
  if (typeof value === "boolean") return { type: "boolean", nullable: true };
  return { type: "string", nullable: true };
}
