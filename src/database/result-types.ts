// Converts column values to JavaScript values, never inexactly: an int8 is a number while that is exact, numeric stays
// text (money is computed in SQL or as integers), timestamptz is a Date, and a date stays text because a Date would
// move it through the local time zone. Used by connect.ts for every connection.

import pg from "pg";

const { builtins } = pg.types;
const INT8_ARRAY = 1016;

const own = new pg.TypeOverrides();
own.setTypeParser(builtins.INT8, safeInteger);
own.setTypeParser(builtins.DATE, (text: string) => text);

/** The `types` option of a `pg` client or pool. */
export const resultTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === INT8_ARRAY ? safeIntegers : own.getTypeParser(oid, format),
};

/** Throws "BUG: …" if the integer is beyond 2^53: a column that holds such must be selected as text. */
export function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`BUG: the int8 ${text} is not a safe integer; select it as text`);
  return value;
}

type Nested<T> = (T | null | Nested<T>)[];

function safeIntegers(text: string): Nested<number> {
  // The types of `pg` list scalar types only.
  const parse: (text: string) => Nested<string> = pg.types.getTypeParser(INT8_ARRAY as number, "text");
  const convert = (items: Nested<string>): Nested<number> =>
    items.map((item) => (Array.isArray(item) ? convert(item) : item === null ? null : safeInteger(item)));
  return convert(parse(text));
}
