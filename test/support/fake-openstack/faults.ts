// What a test wants to go wrong: faults for requests that match, each used up by the request that it hits.

import type { FakeAnswer, FakeRequest, FakeService } from "./exchange.ts";

export interface Fault {
  /** The connection ends without an answer: before anything was done, or after it. */
  readonly drop?: "before" | "after";
  /** This is answered, and nothing done. */
  readonly answer?: FakeAnswer;
  /** It is refused with the error that the service would give, and nothing done. */
  readonly fail?: { readonly status: number; readonly message?: string; readonly retryAfter?: number };
  /** It is carried out this many milliseconds later. */
  readonly slowMs?: number;
  /** It is carried out when this resolves. */
  readonly after?: Promise<unknown>;
  /** Nothing is ever answered, and nothing done. */
  readonly silence?: boolean;
  /** What it begins does not end until the test releases it: a build, a stop, a deletion, an attachment. */
  readonly hold?: boolean;
  /** The server that it creates ends in ERROR: no host has room, or none could spawn it, or these words. */
  readonly spawn?: "no-host" | "exhausted" | { readonly message: string };
  /** Called once it is carried out, before it is answered. */
  readonly then?: () => void | Promise<void>;
}

interface Rule {
  readonly service: FakeService;
  readonly method: string;
  readonly path: RegExp;
  readonly fault: Fault;
  times: number;
}

export class Faults {
  /** Asked of every request, and added to what the rules say. */
  each: ((request: FakeRequest) => Fault) | undefined;
  readonly #rules: Rule[] = [];

  /** For the next `times` requests to this service of this method and path. The newest rule counts. */
  add(service: FakeService, method: string, path: RegExp, fault: Fault, times = 1): void {
    this.#rules.unshift({ service, method, path, fault, times });
  }

  clear(): void {
    this.#rules.length = 0;
  }

  take(request: FakeRequest): Fault {
    return { ...this.#ofRules(request), ...this.each?.(request) };
  }

  #ofRules({ service, method, path }: FakeRequest): Fault {
    const rule = this.#rules.find(
      (one) => one.times > 0 && one.service === service && one.method === method && one.path.test(path),
    );
    if (rule === undefined) return {};
    rule.times--;
    return rule.fault;
  }
}
