// What a backup's file is made of, in this order:
//
//   a line of text   LESSOR BACKUP <version of this format>
//   a line of JSON   the header: when, of which installation, migrations, keys; readable without unpacking anything
//   zstd             records (records.ts): each table and its rows, then the sequences
//   32 bytes         SHA-256 of everything before them, so that a file that is cut off or altered is refused
//
// The sum is no signature: who alters a file can make it anew. So what is read is looked at as well, to be refused in
// words; but a backup is only as trustworthy as the place that it was kept in.
//
// Invariant: nothing secret is in the header, and no key anywhere: what is sealed in the database is sealed here.

import type { AppliedMigration } from "../database/migrate.ts";

/** The version of the layout above; higher for files that older programs cannot read. */
export const formatVersion = 1;
export const digestBytes = 32;
/** A header has some kilobytes; the limit prevents reading another file into memory. */
export const longestHeaderBytes = 1_048_576;

const magic = "LESSOR BACKUP";

export interface BackupHeader {
  /** ISO 8601, the database's clock: the time of the snapshot. */
  readonly takenAt: string;
  /** The installation's ownership label; null if the service never started on the database. */
  readonly installation: string | null;
  /** Of the server that it was read from. */
  readonly postgres: string;
  readonly migrations: readonly AppliedMigration[];
  /** Ids of the encryption keys of its encrypted values. */
  readonly keys: readonly string[];
}

/** The file cannot be restored; the message says why, and what to do. */
export class BackupFileError extends Error {
  override readonly name = "BackupFileError";
}

export function encodeHeader(header: BackupHeader): Buffer {
  return Buffer.from(`${magic} ${formatVersion}\n${JSON.stringify(header)}\n`);
}

/**
 * The header and the offset of the records, from the file's first bytes (longestHeaderBytes, or all of it). Throws
 * BackupFileError for a file that is not a backup, has a newer format, ends within its header, or has an invalid
 * header.
 */
export function decodeHeader(start: Buffer, path: string): { header: BackupHeader; bodyStart: number } {
  const firstEnd = start.indexOf("\n");
  const [, version] = new RegExp(`^${magic} (\\d+)$`).exec(start.toString("latin1", 0, Math.max(firstEnd, 0))) ?? [];
  if (version === undefined) throw new BackupFileError(`${path} is not a Lessor backup.`);
  if (Number(version) !== formatVersion) {
    throw new BackupFileError(
      `${path} was created by a newer version of Lessor (format ${version}; this version reads ${formatVersion}). Restore it ` +
        "with that version.",
    );
  }
  const end = start.indexOf("\n", firstEnd + 1);
  if (end < 0) throw damaged(path);
  const header = headerIn(start.toString("utf8", firstEnd + 1, end));
  if (header === undefined) throw misshapen(path, "its header is not as Lessor writes it");
  return { header, bodyStart: end + 1 };
}

function headerIn(text: string): BackupHeader | undefined {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isHeader(header) ? header : undefined;
}

function isHeader(value: unknown): value is BackupHeader {
  if (typeof value !== "object" || value === null) return false;
  const { takenAt, installation, postgres, migrations, keys }: Readonly<Record<string, unknown>> = { ...value };
  return (
    typeof takenAt === "string" &&
    !Number.isNaN(Date.parse(takenAt)) &&
    (installation === null || typeof installation === "string") &&
    typeof postgres === "string" &&
    Array.isArray(migrations) &&
    migrations.length > 0 &&
    migrations.every(isMigration) &&
    Array.isArray(keys) &&
    keys.every((key) => typeof key === "string" && /^[0-9a-f]{8}$/.test(key))
  );
}

/** The migration at `index`: they are numbered from 1. */
function isMigration(value: unknown, index: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { number, name, sha256 }: Readonly<Record<string, unknown>> = { ...value };
  return number === index + 1 && typeof name === "string" && typeof sha256 === "string";
}

/** The file is inconsistent; `what` completes the sentence. */
export function misshapen(path: string, what: string): BackupFileError {
  return new BackupFileError(`${path} cannot be restored: ${what}. The file was altered. Use another backup.`);
}

export function damaged(path: string): BackupFileError {
  return new BackupFileError(`${path} is incomplete or was altered: its SHA-256 does not match. Use another backup.`);
}
