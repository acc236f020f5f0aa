// Starts the bare peer of a read with the service's current response.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlannedRequest } from "../load/plan.ts";
import { freePorts } from "../service/ports.ts";
import { Program } from "../service/program.ts";
import type { CachedResponse } from "./same-bytes.ts";

export interface Peer extends AsyncDisposable {
  readonly port: number;
}

/** Headers that every Node server writes by itself, for each connection or each second. */
const nodesOwn = new Set(["date", "connection", "keep-alive"]);

/** Requests the service once (port), and serves its response. Throws if that is unsuccessful. */
export async function startBarePeer(servicePort: number, request: PlannedRequest, directory: string): Promise<Peer> {
  const response = await fetch(`http://127.0.0.1:${servicePort}${request.path}`, { headers: request.headers });
  if (!response.ok) throw new Error(`${request.path}: ${response.status} ${await response.text()}`);
  const kept: CachedResponse = {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !nodesOwn.has(name)).flat(),
    bodyBase64: Buffer.from(await response.arrayBuffer()).toString("base64"),
  };
  const [port = 0] = await freePorts(1);
  const file = join(directory, `answer-${port}.json`);
  await writeFile(file, JSON.stringify(kept));
  const program = new Program({
    name: "bare node:http",
    command: process.execPath,
    args: [join(import.meta.dirname, "same-bytes.ts"), String(port), file],
    logFile: join(directory, "bare.log"),
  });
  await program.until(async () => (await fetch(`http://127.0.0.1:${port}`)).ok);
  return { port, [Symbol.asyncDispose]: () => program.end() };
}
