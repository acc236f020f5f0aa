// Virtual hosts: a mount may answer for one host name only. Fastify's own `host` constraint compares the whole header;
// this one compares the name without port and case, as configuration writes it.

import type { FastifyInstance, FastifyServerOptions } from "fastify";

/** Fastify's name for how routes are told apart by something else than method and path. */
type Strategy = NonNullable<NonNullable<FastifyServerOptions["routerOptions"]>["constraints"]>[string];
type Handler = Parameters<ReturnType<Strategy["storage"]>["set"]>[1];

/** The name in a Host header, in lower case and without its port. */
export function hostNameOf(header: string | undefined): string | undefined {
  return header?.toLowerCase().replace(/:\d*$/, "");
}

/** For Fastify's router: what `constraints: { virtualHost: "name" }` of a route means. */
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

/** Makes every route of `scope`, also those of plug-ins, answer for this host only. */
export function answerForHost(scope: FastifyInstance, hostName: string): void {
  scope.addHook("onRoute", (route) => {
    route.constraints = { ...route.constraints, virtualHost: hostName };
  });
}
