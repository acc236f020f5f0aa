// The MCP server: the tools in the form of the protocol. One for each connection (standard input/output) or each
// request (HTTP), as it has no state. An API error becomes the tool's result, which the agent can act on; only an
// invalid call is an error of the protocol.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import type { TObject } from "typebox";
import { Compile } from "typebox/compile";
import { type ServiceClient, ServiceError } from "./service-client.ts";
import type { Tool } from "./tool.ts";
import { tools } from "./tools.ts";

const instructions =
  "Rents GPU instances by the hour on a Lessor service. An instance costs money from when it is active until it is " +
  "terminated; stopping does not end billing. Call list_products before launching, and list_instances when you are " +
  "done, so that no instance is left running.";

const byName = new Map(tools.map((tool) => [tool.name, { tool, validator: Compile(tool.input) }]));

export interface McpOptions {
  /** Of the program. */
  readonly version: string;
  /** When it is aborted, waiting calls end with the advice to call again. */
  readonly closing?: AbortSignal;
}

/** A server whose tools reach the service through `service`. Connect it to a transport. */
export function createMcpServer(service: ServiceClient, { version, closing }: McpOptions): Server {
  const server = new Server({ name: "lessor", version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(shown) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const found = byName.get(params.name);
    if (found === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool named ${params.name}.`);
    const input = params.arguments ?? {};
    if (!found.validator.Check(input)) return wrongInput(found.validator.Errors(input), found.tool.input);
    const either = closing === undefined ? signal : AbortSignal.any([signal, closing]);
    const token = params._meta?.progressToken;
    let progress = 0;
    const report = async (message: string) => {
      if (token === undefined) return;
      progress += 1;
      const told = { progressToken: token, progress, message };
      await sendNotification({ method: "notifications/progress", params: told });
    };
    try {
      // `never`: the input has just been checked against the tool's schema.
      const { text, data } = await found.tool.run({ input: input as never, service, signal: either, report });
      return { content: [{ type: "text", text }], structuredContent: { ...data } };
    } catch (error) {
      if (error instanceof ServiceError) return refused(error);
      if (closing?.aborted === true) return refused(stopping);
      throw error;
    }
  });
  return server;
}

const stopping = new ServiceError({
  message: "The service is shutting down.",
  suggestion: "Retry in a few seconds.",
});

function shown({ name, title, description, input, hints }: Tool) {
  return { name, title, description, inputSchema: { ...input, type: "object" as const }, annotations: hints };
}

function refused({ message, suggestion, code }: ServiceError): CallToolResult {
  const text = suggestion === undefined ? message : `${message} ${suggestion}`;
  return {
    isError: true,
    content: [{ type: "text", text }],
    structuredContent: { error: { message, ...(code && { code }), ...(suggestion && { suggestion }) } },
  };
}

interface Problem {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
}

function wrongInput(problems: readonly Problem[], input: TObject): CallToolResult {
  const known = Object.keys(input.properties).join(", ");
  // An argument that the tool does not have is told twice: of itself, as a schema that is false, and of all arguments.
  const told = problems
    .filter(({ keyword }) => keyword !== "additionalProperties")
    .map(({ keyword, instancePath, message }) => {
      const path = instancePath.slice(1) || "arguments";
      if (keyword !== "boolean") return `${path}: ${message}`;
      return `${path}: this tool has no such argument; it takes ${known === "" ? "none" : known}`;
    });
  return { isError: true, content: [{ type: "text", text: `Nothing was done. ${told.join("; ")}.` }] };
}
