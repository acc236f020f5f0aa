// The OpenAPI 3.1 document of one mounted interface, created by @fastify/swagger from the declared operations. Loaded
// and created on request (docs-page.ts).

import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import fastify, { type FastifyInstance, type RouteOptions } from "fastify";
import type { Variant } from "../api/variant.ts";
import { ownCompilers } from "../edge/own-compilers.ts";
import { optionalBodyMark } from "./operation-schema.ts";

/** The program's license. */
const license = { name: "Apache License 2.0", identifier: "Apache-2.0" };

/** The document of the interface at `prefix`, with its `declared` routes except hidden ones. */
export async function documentOf(variant: Variant, prefix: string, declared: readonly RouteOptions[]): Promise<object> {
  const { default: swagger } = await import("@fastify/swagger");
  const server = unreachableServer();
  await server.register(swagger, documentOptions(variant, prefix));
  for (const { method, url, schema } of declared) {
    if (method !== "HEAD")
      server.route({ method, url, ...(schema !== undefined && { schema }), handler: async () => {} });
  }
  await server.ready();
  return server.swagger();
}

function documentOptions(variant: Variant, prefix: string): FastifyDynamicSwaggerOptions {
  return {
    convertConstToEnum: false,
    transformObject: (given) =>
      tellOptionalBodies("openapiObject" in given ? given.openapiObject : given.swaggerObject),
    openapi: {
      openapi: "3.1.0",
      info: { title: variant.title, version: variant.version, description: variant.description, license },
      servers: [{ url: prefix === "" ? "/" : prefix }],
      tags: variant.tags.map((tag) => ({ ...tag })),
      security: [{ token: [] }],
      components: {
        securitySchemes: {
          token: {
            type: "http",
            scheme: "bearer",
            description: "An API token of your account: `Authorization: Bearer <API_TOKEN>`.",
          },
        },
      },
    },
  };
}

/** Never listens: @fastify/swagger records routes as they are declared. */
function unreachableServer(): FastifyInstance {
  const server = fastify({ schemaController: ownCompilers, routerOptions: { ignoreTrailingSlash: true } });
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => (value) => JSON.stringify(value));
  return server;
}

interface Marked {
  [optionalBodyMark]?: unknown;
  requestBody?: { required?: boolean };
}

/**
 * Sets `required: false` for optional bodies; changes the document in place. @fastify/swagger requires every body;
 * operation-schema.ts marks optional ones.
 */
function tellOptionalBodies<T extends { readonly paths?: object }>(document: T): T {
  const operations = Object.values(document.paths ?? {}).flatMap((path: object): Marked[] => Object.values(path));
  for (const operation of operations) {
    if (operation[optionalBodyMark] !== true) continue;
    delete operation[optionalBodyMark];
    if (operation.requestBody === undefined) throw new Error("BUG: an optional body that is not declared");
    operation.requestBody.required = false;
  }
  return document;
}
