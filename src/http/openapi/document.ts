// The OpenAPI 3.1 document of one mounted interface, made by @fastify/swagger from what its operations declare. Loaded and
// made when somebody asks for it (docs-page.ts).

import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import fastify, { type FastifyInstance, type RouteOptions } from "fastify";
import type { Variant } from "../api/variant.ts";
import { ownCompilers } from "../edge/own-compilers.ts";
import { optionalBodyMark } from "./operation-schema.ts";

/** The one of the program. */
const license = { name: "Apache License 2.0", identifier: "Apache-2.0" };

/** Of the interface at `prefix`, whose routes are `declared`; those that are hidden are not in it. */
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

/** Listens nowhere: @fastify/swagger learns of routes as they are declared. */
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
 * `required: false` for bodies that can be absent; changes the document in place. @fastify/swagger requires every body;
 * operation-schema.ts marks those that are optional.
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
