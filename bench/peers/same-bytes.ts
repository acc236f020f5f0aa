// The bare peer of every read: node:http in a process of its own that answers everything with one answer, byte for byte
// and header for header what the service answered. What it cannot do faster, nothing on Node can.
// Run as: same-bytes.ts <port> <file with the answer as JSON>

import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** What is in the file. */
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
