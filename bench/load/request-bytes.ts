// A request as the bytes on the wire, built once; variable parts have a fixed width, so that sending the next one only
// writes twelve digits into a copy. Used by the generator.

import { NUMBER_MARK, type PlannedRequest } from "./plan.ts";

const WIDTH = 12;

export class RequestBytes {
  readonly #bytes: Buffer;
  readonly #places: readonly number[];

  constructor(request: PlannedRequest) {
    const blank = "0".repeat(WIDTH);
    const body = request.body ?? "";
    const length = Buffer.byteLength(body.replaceAll(NUMBER_MARK, blank));
    const head = [
      `${request.method} ${request.path} HTTP/1.1`,
      "host: 127.0.0.1",
      ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
      ...(request.body === undefined ? [] : [`content-length: ${length}`]),
    ];
    const pieces = `${head.join("\r\n")}\r\n\r\n${body}`.split(NUMBER_MARK);
    this.#bytes = Buffer.from(pieces.join(blank));
    let at = 0;
    this.#places = pieces.slice(0, -1).map((piece) => {
      at += Buffer.byteLength(piece) + WIDTH;
      return at - WIDTH;
    });
  }

  /** The request with this number in it. Without a placeholder it is the same bytes each time. */
  numbered(number: number): Buffer {
    if (this.#places.length === 0) return this.#bytes;
    const bytes = Buffer.from(this.#bytes);
    const digits = number.toString(16).padStart(WIDTH, "0");
    for (const place of this.#places) bytes.write(digits, place, "latin1");
    return bytes;
  }
}
