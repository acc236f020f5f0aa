// The records inside a backup: one byte of kind, four of length, and the content. A table starts with its description,
// then come its rows in pieces, in COPY's text format (which all PostgreSQL versions share), then their number; after
// the last table come the sequences, and an end.
//
// Invariant: no record is longer than longestPiece or one description, so reading and writing take constant memory.

export interface TableRecord {
  readonly kind: "table";
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

export interface SequenceValue {
  readonly schema: string;
  readonly name: string;
  /** A 64-bit number, as text. */
  readonly lastValue: string;
  readonly isCalled: boolean;
}

export type BackupRecord =
  | TableRecord
  | { readonly kind: "rows"; readonly bytes: Buffer }
  | { readonly kind: "table end"; readonly rows: number }
  | { readonly kind: "sequences"; readonly sequences: readonly SequenceValue[] }
  | { readonly kind: "end" };

const longestPiece = 65_536;
const headBytes = 5;
const rowsKind = "R".charCodeAt(0);
const jsonKind = "J".charCodeAt(0);

/** The bytes of a record; many rows become several records. */
export function* encodeRecord(record: BackupRecord): Generator<Buffer> {
  if (record.kind !== "rows") {
    yield framed(jsonKind, Buffer.from(JSON.stringify(record)));
    return;
  }
  for (let at = 0; at < record.bytes.length; at += longestPiece) {
    yield framed(rowsKind, record.bytes.subarray(at, at + longestPiece));
  }
}

/** Parses the output of `encodeRecord`, in chunks of any size. Throws if it ends within a record. */
export async function* decodeRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let at = 0;
    for (; pending.length - at >= headBytes; ) {
      const end = at + headBytes + pending.readUInt32BE(at + 1);
      if (end > pending.length) break;
      yield decoded(pending.readUInt8(at), pending.subarray(at + headBytes, end));
      at = end;
    }
    pending = pending.subarray(at);
  }
  if (pending.length > 0) throw new Error("BUG: a backup whose sum is right ends within a record");
}

function framed(kind: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

function decoded(kind: number, payload: Buffer): BackupRecord {
  if (kind === rowsKind) return { kind: "rows", bytes: payload };
  if (kind !== jsonKind) throw new Error(`BUG: a record of kind ${kind} in a backup whose sum is right`);
  // Written by encodeRecord, and verified by the checksum.
  return JSON.parse(payload.toString("utf8")) as BackupRecord;
}
