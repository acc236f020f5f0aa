// A server of Fastify that listens nowhere, for @fastify/swagger, which learns of routes as they are declared.

import fastify, { type FastifyInstance } from "fastify";
import { ownCompilers } from "../edge/own-compilers.ts";

export function unreachableServer(): FastifyInstance {
  const server = fastify({ schemaController: ownCompilers, routerOptions: { ignoreTrailingSlash: true } });
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => (value) => JSON.stringify(value));
  return server;
}
