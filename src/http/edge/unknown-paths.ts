// What is answered where no route matches: 405 with `Allow` for a known path with another method (204 for OPTIONS),
// else a page, where somebody has one (the web console), else 404, in the one error body. Source: decisions, Where the
// variants live.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { HttpError } from "../errors/api-error.ts";
import { hostNameOf } from "./virtual-host.ts";

/**
 * Answers a GET or HEAD at a path that nothing else has; false: it does not. Never given as the reply itself, which is a
 * promise too and becomes undefined when it is sent.
 */
export type Page = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

declare module "fastify" {
  interface FastifyInstance {
    /** Of this port. The first that answers does. */
    pages: Page[];
  }
}

/** Call it before any route is declared. */
export function respondToUnknownPaths(server: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  server.addHook("onRoute", (route) => {
    routes.push(route);
  });
  server.decorate("pages", []);
  server.setNotFoundHandler(async (request, reply) => {
    const allowed = allowedMethods(routes, request.url, hostNameOf(request.headers.host));
    if (allowed.length === 0) {
      for (const page of isRead(request) ? server.pages : []) {
        if (await page(request, reply)) return reply;
      }
      throw new HttpError("unknown-path", {});
    }
    if (request.method !== "OPTIONS") throw new HttpError("method-not-allowed", { allowed });
    return reply.code(204).header("allow", allowed.join(", ")).send();
  });
}

/** Collects what is declared in the scope from now on. */
export function declaredRoutes(scope: FastifyInstance): readonly RouteOptions[] {
  const routes: RouteOptions[] = [];
  scope.addHook("onRoute", (route) => {
    routes.push(route);
  });
  return routes;
}

/**
 * Refuses methods on paths that only a path with a parameter would take for itself: `GET /instance/launch` is not the
 * instance called "launch", but a known path with a wrong method. Call it when everything is declared.
 */
export function refuseShadowedMethods(scope: FastifyInstance, declared: readonly RouteOptions[]): void {
  const routes = [...declared];
  const fixed = new Set(routes.map((route) => route.url).filter((url) => !url.includes("/:")));
  for (const url of fixed) {
    const methodsOf = (some: readonly RouteOptions[]) => new Set(some.flatMap((route) => route.method));
    const own = methodsOf(routes.filter((route) => route.url === url));
    const shadowing = methodsOf(routes.filter((route) => matches(segments(route.url), segments(url))));
    const method = [...shadowing.difference(own)];
    if (method.length === 0) continue;
    const allowed = [...own].sort();
    scope.route({
      method,
      url: url.slice(scope.prefix.length),
      schema: { hide: true },
      handler: () => {
        throw new HttpError("method-not-allowed", { allowed });
      },
    });
  }
}

const isRead = ({ method }: FastifyRequest) => method === "GET" || method === "HEAD";

function allowedMethods(routes: readonly RouteOptions[], url: string, hostName: string | undefined): string[] {
  const path = segments(url.split("?", 1)[0] ?? "");
  const matching = routes.filter((route) => {
    const host: unknown = route.constraints?.virtualHost;
    return matches(segments(route.url), path) && (host === undefined || host === hostName);
  });
  return [...new Set(matching.flatMap((route) => route.method))].sort();
}

/** Whether a route's pattern, such as `/ssh-keys/:id`, fits a path. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((part, i) => part.startsWith(":") || part === path[i]);
}

function segments(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}
