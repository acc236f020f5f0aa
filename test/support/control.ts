// The control interface over real HTTP, on a World (world.ts), for its tests. Every answer that comes through `ask` is
// held against the interface's own OpenAPI document, and none may be a 5xx.
//
//   const control = await startControl();                     // in beforeAll; control.close() in afterAll
//   const { status, body } = await control.ask("PUT", "/regions/north", { body: { description: "North" } });

import { expect } from "vitest";
import type { Config } from "../../src/config.ts";
import { simulatorControls } from "../../src/engines/simulated/database.ts";
import type { MachineEngine } from "../../src/http/api/machines.ts";
import type { HostRegistry, RegisteredHost } from "../../src/rental/capacity/host-registry.ts";
import type { Scope } from "../../src/rental/service.ts";
import { type CallResult, startHttp } from "./http.ts";
import { expectDocumented, type OpenApiDocument } from "./openapi.ts";
import { makeWorld } from "./world.ts";

export interface AskOptions {
  readonly body?: unknown;
  /** The operator's unless told; null: none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Control = Awaited<ReturnType<typeof startControl>>;

/** An engine's world that only remembers what it was told. A test may make it refuse. */
export class RememberedRegistry implements HostRegistry {
  readonly storage = { sharedStorage: true, multiAttach: true };
  readonly hosts = new Map<string, RegisteredHost>();
  refusal: Error | undefined;

  async put(_tx: unknown, host: RegisteredHost): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.hosts.set(host.name, host);
  }

  async remove(_tx: unknown, name: string): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.hosts.delete(name);
  }
}

/** On a fresh database, with the engine "simulated" (a RememberedRegistry) and an operator whose token has every scope. */
export async function startControl(
  config: Partial<Config> = {},
  {
    hasSimulator = true,
    engines = new Map(),
  }: { hasSimulator?: boolean; engines?: ReadonlyMap<string, MachineEngine> } = {},
) {
  const world = await makeWorld();
  const simulated = new RememberedRegistry();
  const http = await startHttp(world, {
    config,
    engines,
    hostRegistries: new Map([["simulated", simulated]]),
    ...(hasSimulator && { simulator: simulatorControls }),
  });
  const operator = await http.customer({ scopes: ["read", "write", "operator"] });
  const documentUrl = `${http.control}/openapi.json`;
  const document = (await http.call("GET", documentUrl)).body as OpenApiDocument; // checked as one by openapi tests

  async function ask(method: string, path: string, options: AskOptions = {}): Promise<CallResult> {
    const { token = operator.token, body, headers = {} } = options;
    const result = await http.call(method, `${http.control}${path}`, { token: token ?? undefined, body, headers });
    expect(result.status, `${method} ${path}: ${result.text}`).toBeLessThan(500);
    expectDocumented(document, method, path, result.status, result.body);
    return result;
  }

  return {
    world,
    simulated,
    operator,
    document,
    url: http.control,
    marketplace: http.marketplace,
    direct: http.direct,
    reference: http.reference,
    lambda: http.lambda,
    call: http.call,
    ask,
    customer: (scopes: readonly Scope[] = ["read", "write"]) => http.customer({ scopes }),

    /** Asks for what has to succeed, and gives the answer's `data`. */
    async data(method: string, path: string, options: AskOptions = {}): Promise<unknown> {
      const result = await ask(method, path, options);
      expect(result.status, result.text).toBe(200);
      return (result.body as { data: unknown }).data; // documented so, and checked by `ask`
    },

    /** Follows a list from page to page by its Link header, with the given limit; gives the pages. */
    async pages(path: string, limit: number, options: AskOptions = {}): Promise<unknown[][]> {
      const pages: unknown[][] = [];
      let next: string | undefined = `${path}${path.includes("?") ? "&" : "?"}limit=${limit}`;
      while (next !== undefined) {
        const result = await ask("GET", next, options);
        expect(result.status, result.text).toBe(200);
        pages.push((result.body as { data: unknown[] }).data);
        next = nextOf(result);
        expect(pages.length, "a list that does not end").toBeLessThan(1000);
      }
      return pages;
    },

    async close(): Promise<void> {
      await http.close();
      await world.close();
    },
  };
}

/** The path, below the prefix, that a Link header names as the next one. */
export function nextOf(result: CallResult): string | undefined {
  return /^<\/control\/v1([^>]+)>; rel="next"$/.exec(result.headers.get("link") ?? "")?.[1];
}

/** The names of the fields that an answer complains about. */
export function fieldsOf(result: CallResult): string[] {
  return Object.keys((result.body as { field_errors?: object }).field_errors ?? {});
}

/** The code of an error answer. */
export function codeOf(result: CallResult): string | undefined {
  return (result.body as { error?: { code?: string } }).error?.code;
}

/** The `id` of an object. */
export function idOf(data: unknown): string {
  return (data as { id: string }).id;
}
