import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { AnswerReader } from "./answer-reader.ts";

function read(chunks: readonly (string | Buffer)[]): { statuses: number[]; reader: AnswerReader } {
  const statuses: number[] = [];
  const reader = new AnswerReader((status) => statuses.push(status));
  for (const chunk of chunks) reader.feed(Buffer.from(chunk));
  return { statuses, reader };
}

const withLength = 'HTTP/1.1 201 Created\r\nContent-Length: 11\r\nx: y\r\n\r\n{"a":"b\r\n"}';

describe("an answer", () => {
  it("is told when its body is whole, and not before", () => {
    expect(read([withLength]).statuses).toEqual([201]);
    expect(read([withLength.slice(0, -1)]).statuses).toEqual([]);
  });

  it("may come in pieces, cut anywhere", () => {
    const answers = [withLength, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"];
    const cuts = fc.tuple(fc.constantFrom(...answers), fc.array(fc.nat(80)));
    fc.assert(
      fc.property(cuts, ([answer, places]) => {
        const edges = [0, ...places.filter((place) => place < answer.length).sort((a, b) => a - b), answer.length];
        const pieces = edges.slice(1).map((edge, i) => answer.slice(edges[i], edge));
        expect(read(pieces.filter((piece) => piece !== "")).statuses).toHaveLength(1);
      }),
    );
  });

  it("may follow another one on the same connection", () => {
    expect(read([withLength, "HTTP/1.1 204 No Content\r\n\r\n", withLength]).statuses).toEqual([201, 204, 201]);
  });

  it("without a length ends with its connection", () => {
    const { statuses, reader } = read(["HTTP/1.0 200 OK\r\n\r\nabc"]);
    expect(statuses).toEqual([]);
    expect(reader.closed()).toBe(true);
    expect(statuses).toEqual([200]);
  });

  it("that is cut off was none", () => expect(read([withLength.slice(0, 30)]).reader.closed()).toBe(false));

  it("that is longer than it says is a mistake, and so is what is no answer", () => {
    expect(() => read([`${withLength}x`])).toThrow("more bytes");
    expect(() => read(["hello\r\n\r\n"])).toThrow("no answer");
  });
});
