// `lessor mcp`: the MCP server over standard input and output, for agents on this computer, as a client of a running
// service. Standard output carries only the protocol; all other output is on standard error.

import { loadOverStdio } from "../mcp/load.ts";
import { type ServiceClient, ServiceError, type ToolInterface } from "../mcp/service-client.ts";
import { CommandError } from "./command-error.ts";
import { connectionFrom, serviceUrl } from "./connection/connection.ts";
import { type ControlClient, controlClient } from "./connection/control-client.ts";

const prefixes: Readonly<Record<ToolInterface, string>> = {
  marketplace: "/api/vm_marketplace",
  control: "/control/v1",
};

/** Serves until its standard input ends. Throws CommandError without a token, or if LESSOR_URL is not a URL. */
export async function serveMcp(env: NodeJS.ProcessEnv, version: string): Promise<void> {
  const service = serviceFrom(env);
  const { serveOverStdio } = await loadOverStdio();
  await serveOverStdio(service, { version });
}

/** The service of LESSOR_URL, with its interfaces at their default places. */
export function serviceFrom(env: NodeJS.ProcessEnv): ServiceClient {
  const { address, token } = connectionFrom(env);
  const { origin, pathname } = serviceUrl(address);
  if (pathname !== "/") {
    throw new CommandError(
      "LESSOR_URL must be an address without a path for this command.",
      "Use http://127.0.0.1:8080, for example. The default paths of the interfaces are used.",
    );
  }
  const clients = Object.fromEntries(
    Object.entries(prefixes).map(([name, prefix]) => [name, controlClient(`${origin}${prefix}`, token)]),
  ) as Record<ToolInterface, ControlClient>; // with the keys of the table
  return {
    async call({ interface: name, method, path, body, idempotencyKey }) {
      try {
        return await clients[name].call(method, path, body, idempotencyKey);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        const { message, suggestion, code } = error;
        throw new ServiceError({ message, suggestion, code }, error);
      }
    },
  };
}
