// Generates the OpenAPI documents without a running service: each interface is mounted at its default place, on a
// server without ports and database, and its document is read. test/documents checks that a running service serves the
// same. Used by docs/client.ts and test/documents.

import fastify from "fastify";
import type { InterfaceName } from "../src/config/interfaces.ts";
import { loadConfig } from "../src/config.ts";
import type { HttpContext } from "../src/http/api/context.ts";
import { declaredChanges } from "../src/http/api/declared-changes.ts";
import { mountVariant } from "../src/http/api/variant.ts";
import { virtualHost } from "../src/http/edge/virtual-host.ts";
import { variants } from "../src/http/server.ts";

/** The document of this interface, as JSON. */
export async function publishedDocument(name: InterfaceName): Promise<string> {
  const config = loadConfig({ env: {}, cwd: import.meta.dirname });
  // Variant R is on the main port too, for operators with only one port; its own comes first.
  const own = [...config.listeners].sort((a, b) => Number(b.name === name) - Number(a.name === name));
  const mount = own.flatMap(({ mounts }) => mounts).find((one) => one.interface === name);
  if (mount === undefined) throw new Error(`BUG: ${name} is mounted nowhere`);
  // Declaring operations reads no more of it; everything else is for their handlers, and none of them runs.
  const context = { config, hostRegistries: new Map(), documents: new Map() } as unknown as HttpContext;
  const { operations: changes } = declaredChanges(Object.values(variants), context);
  const server = fastify({ routerOptions: { constraints: { virtualHost } } });
  await server.register((scope) => mountVariant(scope, variants[name], mount, { ...context, changes }));
  const { statusCode, body } = await server.inject(`${mount.prefix}/openapi.json`);
  await server.close();
  if (statusCode !== 200) throw new Error(`BUG: the document of ${name} was answered with ${statusCode}: ${body}`);
  return body;
}
