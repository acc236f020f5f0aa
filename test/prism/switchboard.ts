// What stands behind the Prism proxies: Prism knows one upstream for as long as it runs, and every test file has a service of
// its own. So a request says in a header where it is to go, and the switchboard sends it there without that header.
// Used by global-setup.ts.

import { createServer, type Server, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";

/** The base address of the interface that a request is for, with its prefix. */
export const upstreamHeader = "x-lessor-upstream";

export interface Switchboard {
  readonly url: string;
  close(): Promise<void>;
}

export async function startSwitchboard(): Promise<Switchboard> {
  const server: Server = createServer(({ method = "GET", url = "/", headers }, answer) => {
    const { [upstreamHeader]: upstream, host: _, connection: __, ...rest } = headers;
    if (typeof upstream !== "string") return fail(answer, `no ${upstreamHeader}`);
    const target = new URL(upstream);
    const path = `${target.pathname.replace(/\/$/, "")}${url}`;
    const forwarded = send(target, { method, path, headers: rest }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    forwarded.on("error", (error) => fail(answer, error.message));
    answer.req.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port, not on a pipe
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function fail(answer: ServerResponse, why: string): void {
  if (answer.headersSent) answer.destroy();
  else answer.writeHead(502).end(why);
}
