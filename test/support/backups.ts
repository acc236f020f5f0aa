// Backups of tests: made and restored as the commands do it, and what is in a database, table by table, to compare.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import pg from "pg";
import { writeWhole } from "../../src/backup/draft.ts";
import type { Loaded } from "../../src/backup/load.ts";
import { openBackup } from "../../src/backup/read.ts";
import { restoreInto } from "../../src/backup/restore.ts";
import { sqlName, tablesOf } from "../../src/backup/tables.ts";
import { type Written, writeBackup } from "../../src/backup/write.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const never = new AbortController().signal;

/** A backup of the database in a file of the test's. */
export async function takeBackup(url: string, signal = never): Promise<{ path: string; written: Written }> {
  const path = join(await temporaryDirectory(), "test.backup");
  const written = await writeWhole(path, (destination) => writeBackup({ url, destination, signal, onTable: () => {} }));
  return { path, written };
}

/** Throws what a restore throws. */
export async function restoreBackup(
  path: string,
  url: string,
  onTable: (name: string) => void = () => {},
  signal = never,
): Promise<Loaded> {
  await using file = await openBackup(path, signal);
  return await restoreInto(url, file, signal, onTable); // the file is closed when this returns
}

/** Only compare with what a server remembers, and begin anew with a restore. */
const marks = ["account_changes", "catalog_changes"];

/** What a restore writes anew in instances, so that machines are told of their rules once more. */
const newlyWished = ["firewall_wished", "next_look_at"];

/**
 * The names of all tables, and of each how many rows it has and a sum over them, whatever their order; without what a
 * restore has to write into them.
 */
export async function contentsOf(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const contents: Record<string, string> = {};
    for (const table of await tablesOf(client)) {
      if (marks.includes(table.name)) continue;
      const row = table.name === "instances" ? "(to_jsonb(t) - $1::text[])" : "t";
      const { rows } = await client.query<{ sum: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(${row}::text, ' ' order by ${row}::text)), '') as sum
        from ${sqlName(table)} t where $1::text[] is not null`,
        [newlyWished],
      );
      contents[`${table.schema}.${table.name}`] = rows[0]?.sum ?? "";
    }
    return contents;
  } finally {
    await client.end();
  }
}

const digestBytes = 32;

/** The file with its first lines changed, and a sum that is right again: as another version would have written it. */
export function rewriteHead(
  path: string,
  change: (firstLine: string, header: Record<string, unknown>) => string,
): void {
  const file = readFileSync(path);
  const { first, header, body } = partsOf(file);
  const changed = Buffer.concat([Buffer.from(change(first, header)), body]);
  writeFileSync(path, Buffer.concat([changed, createHash("sha256").update(changed).digest()]));
}

/** All that is in the backup, unpacked. */
export function unpackedText(path: string): string {
  const { first, header, body } = partsOf(readFileSync(path));
  return `${first}\n${JSON.stringify(header)}\n${zstdDecompressSync(body).toString("latin1")}`;
}

export function headerOf(path: string): Record<string, unknown> {
  return partsOf(readFileSync(path)).header;
}

function partsOf(file: Buffer): { first: string; header: Record<string, unknown>; body: Buffer } {
  const firstEnd = file.indexOf("\n");
  const headerEnd = file.indexOf("\n", firstEnd + 1);
  return {
    first: file.toString("utf8", 0, firstEnd),
    header: JSON.parse(file.toString("utf8", firstEnd + 1, headerEnd)),
    body: file.subarray(headerEnd + 1, -digestBytes),
  };
}
