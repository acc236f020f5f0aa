// What is answered where no route matches: 405 with `Allow` for a known path with another method (204 for OPTIONS),
// else 404, in the one error body. Source: decisions, Where the variants live.

import type { FastifyInstance, RouteOptions } from "fastify";
import { HttpRefusal } from "./errors/refusal.ts";
import { hostNameOf } from "./virtual-host.ts";

/** Call it before any route is declared. */
export function answerUnknownPaths(server: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  server.addHook("onRoute", (route) => {
    routes.push(route);
  });
  server.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(routes, request.url, hostNameOf(request.headers.host));
    if (allowed.length === 0) throw new HttpRefusal("unknown-path", {});
    if (request.method !== "OPTIONS") throw new HttpRefusal("method-not-allowed", { allowed });
    return reply.code(204).header("allow", allowed.join(", ")).send();
  });
}

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
