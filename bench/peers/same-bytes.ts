// The bare peer of every read: node:http in its own process that sends one fixed response, byte for byte and header for
// header that of the service. It is the upper limit of what Node can do.
// Run as: same-bytes.ts <port> <file with the answer as JSON>

import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** The content of the file. */
export interface CachedResponse {
  readonly status: number;
  /** Names and values in turn, without those that Node writes itself. */
  readonly headers: readonly string[];
  readonly bodyBase64: string;
}

const [port, file] = process.argv.slice(2);
if (port !== undefined && file !== undefined) {
  const answer: CachedResponse = JSON.parse(readFileSync(file, "utf8"));
  const body = Buffer.from(answer.bodyBase64, "base64");
  const headers = [...answer.headers];
  createServer((_request, response) => {
    response.writeHead(answer.status, headers);
    response.end(body);
  }).listen(Number(port), "127.0.0.1");
}
