// One message of an agent that came by HTTP, and its answer. No session is held: each message has a server of its own.

import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createMcpServer, type McpOptions } from "./server.ts";
import type { ServiceClient } from "./service-client.ts";

/** Answers `body`, the parsed body of `request`. What is under way for it ends when `gone` is aborted. */
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
