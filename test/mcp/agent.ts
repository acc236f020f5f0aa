// An agent: the protocol's own client, of the SDK, connected to a service over HTTP.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolResultSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { expect } from "vitest";

export interface ToolResult {
  /** What the agent reads. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

export class Agent {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  /** One that is connected; `url` is the server's main port. */
  static overHttp(url: string, token: string): Promise<Agent> {
    const headers = { authorization: `Bearer ${token}` };
    return Agent.over(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }));
  }

  static async over(transport: Transport): Promise<Agent> {
    const client = new Client({ name: "tests", version: "1.0.0" });
    await client.connect(transport);
    return new Agent(client);
  }

  /** Calls a tool, whether it is refused or not. */
  async call(name: string, input: object = {}, onProgress?: (progress: Progress) => void): Promise<ToolResult> {
    const params = { name, arguments: { ...input } };
    const options = onProgress === undefined ? {} : { onprogress: onProgress };
    const answer = await this.client.callTool(params, CallToolResultSchema, options);
    const result = CallToolResultSchema.parse(answer);
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return { text, data: result.structuredContent ?? {}, failed: result.isError === true };
  }

  /** Calls a tool that has to succeed; gives its data. */
  async need(name: string, input: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const { text, data, failed } = await this.call(name, input);
    expect(failed, `${name}: ${text}`).toBe(false);
    return data;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
