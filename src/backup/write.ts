// Writes a backup: one snapshot of the database, compressed and streamed into a file or an output, with constant
// memory. Used by operator/backup.ts.

import { createHash } from "node:crypto";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { type BackupHeader, encodeHeader } from "./file-format.ts";
import { encodeRecord } from "./records.ts";
import { openSnapshot } from "./snapshot.ts";
import { sequencesOf, sqlName, type Table } from "./tables.ts";

export interface Written {
  readonly header: BackupHeader;
  readonly tables: number;
  readonly rows: number;
  /** Of the file. */
  readonly bytes: number;
}

export interface WriteOrder {
  readonly url: string;
  /** Ended when all is written, except standard output. */
  readonly destination: Writable;
  readonly signal: AbortSignal;
  /** Reports the current table occasionally. */
  readonly onTable: (name: string, rowsSoFar: number) => void;
}

/** Throws NothingThere, what the database throws, and what the destination throws; then the output is not a backup. */
export async function writeBackup(order: WriteOrder): Promise<Written> {
  const client = new pg.Client({ connectionString: order.url, application_name: "lessor backup" });
  client.on("error", () => {}); // the next statement throws
  await client.connect();
  try {
    const { header, tables } = await openSnapshot(client);
    const count = { rows: 0, bytes: 0 };
    await pipeline(
      records(client, tables, count, order.onTable),
      createZstdCompress(),
      (compressed: AsyncIterable<Buffer>) => sealed(header, compressed, count),
      order.destination,
      { signal: order.signal, end: order.destination !== process.stdout },
    );
    await client.query("commit");
    return { header, tables: tables.length, ...count };
  } finally {
    // After an abort a COPY might still run; the server notices the lost connection.
    await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
  }
}

async function* records(
  client: pg.Client,
  tables: readonly Table[],
  count: { rows: number },
  onTable: WriteOrder["onTable"],
): AsyncGenerator<Buffer> {
  for (const table of tables) {
    onTable(table.name, count.rows);
    yield* encodeRecord({ kind: "table", ...table });
    const columns = table.columns.map(pg.escapeIdentifier).join(", ");
    const copy = client.query(copyTo(`copy ${sqlName(table)} (${columns}) to stdout`));
    for await (const bytes of copy) yield* encodeRecord({ kind: "rows", bytes });
    await client.query("select"); // the count comes after the last byte
    yield* encodeRecord({ kind: "table end", rows: copy.rowCount });
    count.rows += copy.rowCount;
  }
  // Sequences ignore snapshots; they only grow, so their values now are not less than those in the tables.
  yield* encodeRecord({ kind: "sequences", sequences: await sequencesOf(client) });
  yield* encodeRecord({ kind: "end" });
}

/** The whole file: header, body and checksum. */
async function* sealed(
  header: BackupHeader,
  body: AsyncIterable<Buffer>,
  count: { bytes: number },
): AsyncGenerator<Buffer> {
  const sum = createHash("sha256");
  const counted = (chunk: Buffer) => {
    count.bytes += chunk.length;
    return chunk;
  };
  const start = encodeHeader(header);
  sum.update(start);
  yield counted(start);
  for await (const chunk of body) {
    sum.update(chunk);
    yield counted(chunk);
  }
  yield counted(sum.digest());
}
