import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { type BackupRecord, decodeRecords, encodeRecord } from "./records.ts";

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decoded(bytes: Buffer, size: number): Promise<BackupRecord[]> {
  const records: BackupRecord[] = [];
  for await (const record of decodeRecords(inChunks(bytes, size))) records.push(record);
  return records;
}

const encoded = (records: readonly BackupRecord[]) => Buffer.concat(records.flatMap((one) => [...encodeRecord(one)]));

const anyRecord: fc.Arbitrary<BackupRecord> = fc.oneof(
  fc
    .uint8Array({ minLength: 1, maxLength: 300 })
    .map((bytes): BackupRecord => ({ kind: "rows", bytes: Buffer.from(bytes) })),
  fc.string().map((name): BackupRecord => ({ kind: "table", schema: "public", name, columns: ["a", name] })),
  fc.nat().map((rows): BackupRecord => ({ kind: "table end", rows })),
);

describe("the records of a backup", () => {
  it("are read as they were written, however they come in", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRecord, { maxLength: 20 }),
        fc.integer({ min: 1, max: 400 }),
        async (records, size) => {
          expect(await decoded(encoded(records), size)).toEqual(records);
        },
      ),
    );
  });

  it("are short, however long a row is", async () => {
    const bytes = Buffer.alloc(1_000_000, "x");
    const pieces = [...encodeRecord({ kind: "rows", bytes })];
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(70_000);
    const records = await decoded(Buffer.concat(pieces), 100_000);
    expect(Buffer.concat(records.map((one) => (one.kind === "rows" ? one.bytes : Buffer.alloc(0))))).toEqual(bytes);
  });

  it("that end within one are not taken for whole", async () => {
    await expect(decoded(encoded([{ kind: "table end", rows: 1 }]).subarray(0, -1), 10)).rejects.toThrow("BUG");
  });
});
