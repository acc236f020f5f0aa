// Lists as CSV (RFC 4180): a header row, CRLF after every row, quotes where a value needs them. Used by operations that
// declare `csv`, for `?format=csv`.
//
// Invariant: no value is a formula to the spreadsheet that opens the file, and no part of one that it may take for a cell
// is. Names are chosen by customers, and a cell that begins with =, +, - or @ would be run there, also where white space or
// what nobody sees stands before it, and where the sign is of another width. An apostrophe before it makes it text. A part
// may become a cell because spreadsheets split at semicolons where commas are for decimals, and quotes that do not begin
// such a cell keep nothing together. Source: OWASP, CSV Injection.

import { Type } from "typebox";

/** How an operation's answer is put into a table. */
export interface CsvTable<Answer> {
  /** The columns, and the fields of a row that stand in them. */
  readonly columns: readonly string[];
  readonly rows: (answer: Answer) => readonly object[];
}

/** Properties for the query schema of an operation that declares `csv`. */
export const formatQuery = {
  format: Type.Optional(
    Type.Enum(["json", "csv"] as const, {
      title: "ListFormat",
      description:
        "`csv`: the same rows as CSV (RFC 4180) with a header row. Formulas, at the start of a value or after a separator in it, are prefixed with an apostrophe.",
    }),
  ),
};

/** The whole text. */
export function csvText<Answer>(table: CsvTable<Answer>, answer: Answer): string {
  const rows = table.rows(answer).map((row) => {
    const fields = new Map(Object.entries(row));
    return table.columns.map((column) => cell(fields.get(column)));
  });
  return [table.columns, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** Null and undefined are empty. Throws "BUG: …" for what is no text, number or switch. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") throw new Error("BUG: a cell holds only strings, numbers and booleans");
  const text = value.replace(beginnings, "$1'");
  // Some pass over a tab or a line break in front.
  const harmless = /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const unseen = String.raw`(?:(?![\t\r\n])[\s"\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}])*`;
const signs = "[=+\\-@＝＋－＠﹦﹢﹣﹫]";
/** Wherever a formula would begin, if a cell began there: at the value's beginning, or behind a separator ($1). */
const beginnings = new RegExp(String.raw`(^|[,;\t\r\n])(?=${unseen}${signs})`, "gu");
