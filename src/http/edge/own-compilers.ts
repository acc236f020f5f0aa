// Tells Fastify from the start that this service compiles schemas itself. It would load its own compilers otherwise
// (Ajv and fast-json-stringify, 130 files and 50 ms of each start), which are unused here. Used by server.ts and
// openapi/.

import type { FastifyServerOptions } from "fastify";

/** Call `setValidatorCompiler` and `setSerializerCompiler` before declaring any route. */
export const ownCompilers = {
  compilersFactory: { buildValidator: notOurs, buildSerializer: notOurs },
} satisfies FastifyServerOptions["schemaController"];

function notOurs(): never {
  throw new Error("BUG: a schema was to be compiled by Fastify's own compilers");
}
