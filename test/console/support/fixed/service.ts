// A stand-in for the service, in front of which the console is always the same: the built console, and the fixed world's
// answers to everything it reads. For pictures, and for states that a real service is seldom in (nothing there, a failure,
// no answer). What the console does with a real service, other tests show (../service.ts).

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorRole } from "../../../../src/rules/roles.ts";
import type { WhenOver } from "../../../support/when-over.ts";
import { builtConsole } from "../built-console.ts";
import { ownAccount } from "./accounts.ts";
import { answerTo, lists } from "./answers.ts";
import { inTime } from "./moments.ts";

/** How it answers reads: as the world is; as if there were nothing yet; with failures. */
export type Manner = "answers" | "is-empty" | "fails";

export interface FixedService {
  readonly url: string;
  manner: Manner;
  /** How long each read takes, in milliseconds. */
  delay: number;
  /** Whether somebody is signed in. */
  signedIn: boolean;
  /** Whether it rejects every change; otherwise it answers as to a read. */
  rejects: boolean;
  /** Of the token that is signed in; null: everything. */
  operatorRole: OperatorRole | null;
  /** Answers instead of the world's, by path. */
  readonly instead: Map<string, unknown>;
  /** What was asked for, as "GET /hosts". */
  readonly asked: string[];
}

/** Starts it on a free port. */
export async function startFixedService(whenOver: WhenOver): Promise<FixedService> {
  const server = createServer((request, reply) => void answer(service, request, reply));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  whenOver(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server on a port has one.
  const { port } = server.address() as AddressInfo;
  const service: FixedService = {
    url: `http://127.0.0.1:${port}`,
    manner: "answers",
    delay: 0,
    signedIn: true,
    rejects: false,
    operatorRole: null,
    instead: new Map(),
    asked: [],
  };
  return service;
}

async function answer(service: FixedService, request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", service.url);
  if (pathname === "/console/session") return session(service, reply);
  if (pathname === "/console/sign-in")
    return json(reply, 200, { data: { links: true, providers: [], control_url: "/control/v1" } });
  const prefix = "/control/v1";
  if (!pathname.startsWith(`${prefix}/`)) return file(pathname, reply);
  const path = pathname.slice(prefix.length);
  service.asked.push(`${request.method} ${path}`);
  if (path === "/events/stream") return stream(reply);
  if (service.delay > 0) await sleep(service.delay);
  if (service.manner === "fails") return json(reply, 500, failure);
  if (service.rejects && request.method !== "GET") return json(reply, 409, unchanging);
  const body = service.instead.get(path) ?? (service.manner === "is-empty" ? emptied(path) : undefined);
  const found = body ?? answerTo(path, searchParams);
  json(reply, found === undefined ? 404 : 200, found ?? missing);
}

function session({ signedIn, operatorRole }: FixedService, reply: ServerResponse): void {
  const account = { ...ownAccount, token: { ...ownAccount.token, operator_role: operatorRole } };
  const session = { control_url: "/control/v1", account, expires_at: inTime(40_000), simulated: true };
  if (signedIn) json(reply, 200, { data: session });
  else json(reply, 401, refusal("global/invalid-api-key", "You are not signed in.", "Sign in."));
}

/** Open, and silent: nothing happens in the fixed world. */
function stream(reply: ServerResponse): void {
  reply.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  reply.write(":\n\n");
}

/** A list that has nothing in it; undefined for what is no list of things. */
function emptied(path: string): unknown {
  const body = lists[path]?.(new URLSearchParams()) as { data: unknown; total?: object } | undefined;
  if (body === undefined || !Array.isArray(body.data)) return undefined;
  const none = { cost_micro_cents: "0", cost_cents: "0.000000" };
  return { ...body, data: [], ...(body.total === undefined ? {} : { total: none }) };
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A file of the console; the page itself for every address that a file is not at. */
function file(pathname: string, reply: ServerResponse): void {
  const type = types[extname(pathname)];
  const path = type === undefined ? "/index.html" : normalize(pathname);
  const content = readFileSync(join(builtConsole, path));
  const kept = pathname.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  reply.writeHead(200, { "content-type": type ?? types[".html"] ?? "", "cache-control": kept }).end(content);
}

function json(reply: ServerResponse, status: number, body: unknown): void {
  reply.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  reply.end(JSON.stringify(body));
}

function refusal(code: string, message: string, suggestion: string) {
  return { error: { code, message, suggestion, request_id: "0b5f0c7e-3f1d-4c55-8a6b-2d1f6f0a9e11" } };
}

const failure = refusal("global/internal-error", "Something went wrong.", "Try again, and tell us the request id.");
const unchanging = refusal("global/conflict", "Nothing changes here.", "Look at it.");
const missing = refusal("global/object-does-not-exist", "There is no such thing.", "Look at the list.");
