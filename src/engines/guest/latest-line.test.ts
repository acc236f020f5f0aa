import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { LatestLine } from "./latest-line.ts";

function lastOf(...chunks: readonly (string | Uint8Array)[]): string | undefined {
  const lines = new LatestLine(8);
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  const line = lines.take();
  return line === undefined ? undefined : Buffer.from(line).toString("latin1");
}

describe("the last line of a stream", () => {
  it.each<[string, string[], string | undefined]>([
    ["nothing", [], undefined],
    ["a line that has not ended", ["one"], undefined],
    ["a line", ["one\n"], "one"],
    ["the last of several", ["one\ntwo\nthr"], "two"],
    ["a line in pieces", ["o", "n", "e\n"], "one"],
    ["a line that ends as a terminal ends it", ["one\r\n"], "one"],
    ["the longest", ["12345678\n"], "12345678"],
    ["the longest of a terminal", ["12345678\r\n"], "12345678"],
    ["no longer one", ["123456789\n"], undefined],
    ["the one before a longer one", ["one\n", "123456789\n"], "one"],
    ["the one after a longer one", ["123456789", "123456789\ntwo\n"], "two"],
    ["none of empty lines", ["one\n", "\n\n"], "one"],
  ])("%s", (_what, chunks, expected) => {
    expect(lastOf(...chunks)).toBe(expected);
  });

  it("is taken once", () => {
    const lines = new LatestLine(8);
    lines.push(Buffer.from("one\n"));
    expect([lines.take() === undefined, lines.take() === undefined]).toEqual([false, true]);
  });

  it("is never longer than allowed, however the stream is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
        expect((lastOf(...chunks) ?? "").length).toBeLessThanOrEqual(8);
      }),
    );
  });

  it("costs no memory for a flood without an end", () => {
    const lines = new LatestLine(8192);
    const chunk = Buffer.alloc(65_536, "x");
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 2000; count++) lines.push(chunk);
    for (let count = 0; count < 20_000; count++) lines.push(Buffer.from("y"));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
    lines.push(Buffer.from("\nok\n"));
    expect(Buffer.from(lines.take() ?? []).toString()).toBe("ok");
  });
});
