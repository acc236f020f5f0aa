// An HTTP server on loopback that webhooks are delivered to: it remembers what came, and answers as the test says.
//
//   const receiver = await startReceiver();                    // closed when the test is over
//   receiver.answer = () => ({ status: 500 });
//   await receiver.received(3);

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { afterTest, type WhenOver } from "./when-over.ts";

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: { id: string; type: string; timestamp: string; data: Record<string, unknown> };
  /** By this process's clock, in milliseconds. */
  readonly at: number;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Before the answer. */
  readonly waitMs?: number;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver(whenOver: WhenOver = afterTest) {
  const requests: Received[] = [];
  let underWay = 0;
  let most = 0;
  const receiver = {
    url: "",
    requests,
    /** What is answered; 204 unless told. Undefined: what the function did with `response` is the answer. */
    answer: (_request: Received, _response: ServerResponse): Answer | undefined => ({}),
    /** The most requests that were there at once. */
    mostAtOnce: () => most,
    types: () => requests.map(({ body }) => body.type),
    /** Waits until so many came, and gives them. */
    async received(count: number): Promise<readonly Received[]> {
      await expect.poll(() => requests.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
      return requests;
    },
  };
  const server = createServer((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    underWay += 1;
    most = Math.max(most, underWay);
    response.once("close", () => {
      underWay -= 1;
    });
    request.on("error", () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const one = { path: request.url ?? "", headers, text, body: JSON.parse(text), at: performance.now() };
    requests.push(one);
    const answer = receiver.answer(one, response);
    if (answer === undefined) return;
    if (answer.waitMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.waitMs));
    response.writeHead(answer.status ?? 204, answer.headers).end(answer.body);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port, not on a pipe
  whenOver(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return receiver;
}
