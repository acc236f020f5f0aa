// The server on this process's standard input and output. Standard output carries only the protocol.

import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createMcpServer, type McpOptions } from "./server.ts";
import type { ServiceClient } from "./service-client.ts";

/** Serves until standard input ends. */
export async function serveOverStdio(service: ServiceClient, options: McpOptions): Promise<void> {
  const server = createMcpServer(service, options);
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once("end", () => void server.close());
  });
  await server.connect(new StdioServerTransport());
  await ended;
}
