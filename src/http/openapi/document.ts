// The OpenAPI 3.1 document of one mounted interface, made by @fastify/swagger from what its operations declare.

import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { Variant } from "../variant.ts";
import { tellOptionalBodies } from "./optional-bodies.ts";

/** The one of the program. */
const license = { name: "Apache License 2.0", identifier: "Apache-2.0" };

export function documentOptions(variant: Variant, prefix: string): FastifyDynamicSwaggerOptions {
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
