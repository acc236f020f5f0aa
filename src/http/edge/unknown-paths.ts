// The response where no route matches: 405 with `Allow` for a known path with another method (204 for OPTIONS), else a
// page, if one is registered (the web console), else 404, in the one error body. Source: decisions, Where the variants
// live.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { HttpError } from "../errors/api-error.ts";
import { hostNameOf } from "./virtual-host.ts";

/**
 * Responds to a GET or HEAD at a path without a route; false: it does not. Never resolves to the reply itself, which is
 * a promise too and becomes undefined when it is sent.
 */
export type Page = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

declare module "fastify" {
  interface FastifyInstance {
    /** Of this port. The first that responds ends the search. */
    pages: Page[];
  }
}

interface Declared {
  readonly route: RouteOptions;
  /** Its URL, in parts. */
  readonly path: readonly string[];
}

/** Call it before any route is declared. */
export function respondToUnknownPaths(server: FastifyInstance): void {
  const routes: Declared[] = [];
  server.addHook("onRoute", (route) => {
    routes.push({ route, path: segments(route.url) });
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

/** Collects the routes declared in the scope from now on. */
export function declaredRoutes(scope: FastifyInstance): readonly RouteOptions[] {
  const routes: RouteOptions[] = [];
  scope.addHook("onRoute", (route) => {
    routes.push(route);
  });
  return routes;
}

/**
 * Rejects methods on paths that only a path with a parameter would match: `GET /instance/launch` is not the instance
 * called "launch", but a known path with a wrong method. Call it after all routes are declared.
 */
export function refuseShadowedMethods(scope: FastifyInstance, declared: readonly RouteOptions[]): void {
  const routes: Declared[] = declared.map((route) => ({ route, path: segments(route.url) }));
  const methodsOf = (some: readonly Declared[]) => new Set(some.flatMap(({ route }) => route.method));
  const patterns = routes.filter(({ route }) => route.url.includes("/:"));
  const fixed = Map.groupBy(
    routes.filter(({ route }) => !route.url.includes("/:")),
    ({ route }) => route.url,
  );
  for (const [url, those] of fixed) {
    const own = methodsOf(those);
    const path = segments(url);
    const shadowing = methodsOf(patterns.filter((pattern) => matches(pattern.path, path)));
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

function allowedMethods(routes: readonly Declared[], url: string, hostName: string | undefined): string[] {
  const path = segments(url.split("?", 1)[0] ?? "");
  const matching = routes.filter(({ route, path: pattern }) => {
    const host: unknown = route.constraints?.virtualHost;
    return matches(pattern, path) && (host === undefined || host === hostName);
  });
  return [...new Set(matching.flatMap(({ route }) => route.method))].sort();
}

/** Whether a route's pattern, such as `/ssh-keys/:id`, fits a path. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((part, i) => part.startsWith(":") || part === path[i]);
}

function segments(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}
