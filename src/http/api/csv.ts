// Lists as CSV (RFC 4180): a header row, CRLF after every row, quotes where a value needs them. Used by operations that
// declare `csv`, for `?format=csv`.
//
// Invariant: a spreadsheet that opens the file reads no value, and no part that it may split off as a cell, as a
// formula. Customers choose names, and a cell that begins with =, +, - or @ would be evaluated, even after white space
// or invisible characters, and where the sign is full-width. A leading apostrophe makes it text. A part may become a
// cell because spreadsheets split at semicolons in locales with decimal commas, and quotes that do not begin such a
// cell do not keep it together. Source: OWASP, CSV Injection.

import { Type } from "typebox";

/** How an operation's response becomes a table. */
export interface CsvTable<Answer> {
  /** The columns, which are the fields of a row. */
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

export function csvText<Answer>({ columns, rows }: CsvTable<Answer>, answer: Answer): string {
  return csvHeader(columns) + csvRows(columns, rows(answer));
}

export function csvHeader(columns: readonly string[]): string {
  return `${columns.join(",")}\r\n`;
}

export function csvRows(columns: readonly string[], rows: readonly object[]): string {
  const texts = rows.map((row) => {
    const fields = new Map(Object.entries(row));
    return `${columns.map((column) => cell(fields.get(column))).join(",")}\r\n`;
  });
  return texts.join("");
}

/** Null and undefined are empty. Throws "BUG: …" for anything but a string, number or boolean. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") throw new Error("BUG: a cell holds only strings, numbers and booleans");
  if (/^-\d+(\.\d+)?$/.test(value)) return value; // a number is no formula
  const text = value.replace(beginnings, "$1'");
  // Some spreadsheets skip a leading tab or line break.
  const harmless = /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const unseen = String.raw`(?:(?![\t\r\n])[\s"\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}])*`;
const signs = "[=+\\-@＝＋－＠﹦﹢﹣﹫]";
/** Wherever a formula could begin: at the value's start, or after a separator ($1). */
const beginnings = new RegExp(String.raw`(^|[,;\t\r\n])(?=${unseen}${signs})`, "gu");
