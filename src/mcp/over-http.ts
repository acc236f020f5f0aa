// Handles one message of an agent over HTTP. There are no sessions: each message has its own server.

import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createMcpServer, type McpOptions } from "./server.ts";
import type { ServiceClient } from "./service-client.ts";

/** Responds to `body`, the parsed body of `request`. Aborting `gone` ends its pending work. */
export async function answerOverHttp(
  service: ServiceClient,
  request: Request,
  body: unknown,
  options: McpOptions & { readonly gone: AbortSignal },
): Promise<Response> {
  const server = createMcpServer(service, options);
  const transport = new WebStandardStreamableHTTPServerTransport();
  await server.connect(transport);
  options.gone.addEventListener("abort", () => void server.close());
  return transport.handleRequest(request, { parsedBody: body });
}
