// A way to a server on which one connection is cut at a chosen point, and which remembers what the server answered on it
// though nobody heard: an answer lost between commit and client. One proxy for one exchange.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * Where the exchange ends for the client. `request`: so much of the request gets through (0 to 1), then both sides are
 * cut. `answer`: the whole request gets through, and so much of what is then answered reaches the client (0: nothing);
 * the server is heard to the end.
 */
export type Cut =
  | { readonly within: "request"; readonly share: number }
  | { readonly within: "answer"; readonly share: number };

export interface CuttingProxy {
  /** What to send to instead of `target`. */
  readonly url: string;
  /** Resolves with what the server answered, whole or as far as it came, when the connection to it is over. */
  readonly heard: Promise<string>;
  close(): void;
}

/** Passes one connection on to `target` (a base address) and cuts it. `onAnswer`: the first of the answer is there. */
export async function cuttingProxy(target: string, cut: Cut, onAnswer: () => void = () => {}): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const { promise: heard, resolve } = Promise.withResolvers<string>();
  const server = createServer((client) => {
    server.close();
    const upstream = connect({ host: hostname, port: Number(port) });
    exchange(client, upstream, cut, onAnswer).then(resolve);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, heard, close: () => void server.close() };
}

async function exchange(client: Socket, upstream: Socket, cut: Cut, onAnswer: () => void): Promise<string> {
  let answer = "";
  for (const socket of [client, upstream]) socket.on("error", () => {}); // cut, or killed: what "close" tells
  client.on("data", (chunk) => {
    if (cut.within === "answer") return void upstream.write(chunk);
    upstream.write(chunk.subarray(0, Math.floor(chunk.length * cut.share)), () => {
      client.destroy();
      upstream.destroy();
    });
  });
  upstream.on("data", (chunk) => {
    if (answer === "") onAnswer();
    answer += chunk.toString();
    // The answer of a launch is one chunk; what has no end in it yet is passed on whole.
    if (!isWhole(answer)) return;
    client.write(chunk.subarray(0, Math.floor(chunk.length * (cut.within === "answer" ? cut.share : 0))), () => {
      client.destroy();
      upstream.end();
    });
  });
  upstream.once("close", () => client.destroy());
  await once(upstream, "close");
  return answer;
}

/** Whether this is a whole answer with a Content-Length. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  return end !== -1 && length !== undefined && Buffer.byteLength(answer.slice(end + 4)) >= Number(length);
}

/** Status and body of an answer as it came over the wire; undefined where it is not whole. */
export function parsedAnswer(answer: string): { status: number; text: string } | undefined {
  if (!isWhole(answer)) return undefined;
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
  return { status, text: answer.slice(answer.indexOf("\r\n\r\n") + 4) };
}
