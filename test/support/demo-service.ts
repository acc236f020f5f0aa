// The service in this process with the catalog of the demo, a customer and an operator, whose machines boot in milliseconds:
// for tests of what people see of it. Who needs the program itself takes lessor.ts.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { applyCatalog } from "../../src/cli/apply.ts";
import { controlClient } from "../../src/cli/connection/control-client.ts";
import { type RunningServer, type ServerOptions, startServer } from "./server.ts";
import type { WhenOver } from "./when-over.ts";

const catalog = readFileSync(resolve(import.meta.dirname, "../../examples/demo-catalog.yaml"), "utf8");

/** `options`: over the defaults. */
export async function startDemoService(whenOver: WhenOver, options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer(options);
  whenOver(() => server.close());
  await applyCatalog(catalog, controlClient(server.control, server.operatorToken));
  return server;
}
