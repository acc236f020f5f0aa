// Virtual hosts: a mount may serve one host name only. Fastify's own `host` constraint compares the whole header; this
// one compares the name without port and case, as in the configuration.

import type { FastifyInstance, FastifyServerOptions } from "fastify";

/** Fastify's type for a routing constraint besides method and path. */
type Strategy = NonNullable<NonNullable<FastifyServerOptions["routerOptions"]>["constraints"]>[string];
type Handler = Parameters<ReturnType<Strategy["storage"]>["set"]>[1];

/** The name in a Host header, in lower case and without its port. */
export function hostNameOf(header: string | undefined): string | undefined {
  return header?.toLowerCase().replace(/:\d*$/, "");
}

/** For Fastify's router: the meaning of `constraints: { virtualHost: "name" }` in a route. */
export const virtualHost: Strategy = {
  name: "virtualHost",
  storage: () => {
    const handlers = new Map<string, Handler>();
    return {
      get: (name) => handlers.get(name) ?? null,
      set: (name, handler) => void handlers.set(name, handler),
    };
  },
  deriveConstraint: (request) => hostNameOf(request.headers.host) ?? "",
};

/** Limits every route of `scope`, including those of plug-ins, to this host. */
export function answerForHost(scope: FastifyInstance, hostName: string): void {
  scope.addHook("onRoute", (route) => {
    route.constraints = { ...route.constraints, virtualHost: hostName };
  });
}
