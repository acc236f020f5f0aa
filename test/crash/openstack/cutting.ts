// A process that is cut off from the fake cloud at one of its requests, as one that is killed there: nothing that it asks
// from then on is answered or carried out. Used by the proofs of OpenStack's steps.

import { type FakeRequest, object } from "../../support/fake-openstack/exchange.ts";
import type { FakeOpenStack } from "../../support/fake-openstack/fake-openstack.ts";
import type { Fault } from "../../support/fake-openstack/faults.ts";

/**
 * `before`: the request never arrives. `after`: it is carried out, and its response never arrives. `late`: it is carried
 * out only once another process has taken over and everything rests.
 */
export const whens = ["before", "after", "late"] as const;

export interface Cut {
  /** As `nameOf`, with how often it came: "compute POST /servers (1)". */
  readonly request: string;
  readonly when: (typeof whens)[number];
}

/** Reads change nothing: to be cut off before one is the same as after the one before it. */
export function cutsAt(passed: readonly string[]): Cut[] {
  return passed.flatMap((request) => {
    const all = / GET /.test(request) ? (["before"] as const) : whens;
    return all.map((when) => ({ request, when }));
  });
}

export class Cutting {
  /** The requests of the first process, without those that watch for changes, which come with the clock. */
  readonly passed: string[] = [];
  readonly #counts = new Map<string, number>();
  /** Tokens of processes that are gone. */
  readonly #gone = new Set<unknown>();
  readonly #release = Promise.withResolvers<void>();
  #isCut = false;
  #late: Promise<void> | undefined;

  /** `die`: called when it is cut off. */
  constructor(fake: FakeOpenStack, cut: Cut | undefined, die: () => void) {
    fake.faults.each = (request) => {
      const token = request.headers["x-auth-token"];
      if (this.#gone.has(token)) return { silence: true };
      if (this.#isCut || token === undefined || isOfWatch(request)) return {};
      const name = this.#numbered(nameOf(request));
      this.passed.push(name);
      if (name !== cut?.request) return {};
      this.#isCut = true;
      const end = () => {
        this.#gone.add(token);
        die();
      };
      return this.#fault(cut, end);
    };
  }

  /** Whether it came to the cut. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** What a process that is gone had sent arrives. */
  async carryOutLate(): Promise<void> {
    this.#release.resolve();
    await this.#late;
  }

  #fault({ when }: Cut, end: () => void): Fault {
    if (when === "after") {
      const then = () => {
        end();
        return new Promise<void>(() => {});
      };
      return { then };
    }
    end();
    if (when === "before") return { silence: true };
    const done = Promise.withResolvers<void>();
    this.#late = done.promise;
    const then = () => done.resolve();
    return { after: this.#release.promise, then, drop: "after" };
  }

  #numbered(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${name} (${count})`;
  }
}

/** Service, method and path, with what an action is: "compute POST /servers/ID/action os-stop". */
function nameOf({ service, method, path, body }: FakeRequest): string {
  const short = path.replace(/^\/v[\d.]+/, "").replace(/[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}/gi, "ID");
  const action = short.endsWith("/action") ? ` ${Object.keys(object(JSON.parse(body.toString()))).join()}` : "";
  return `${service} ${method} ${short}${action}`;
}

function isOfWatch({ method, path, query }: FakeRequest): boolean {
  return method === "GET" && (query.has("changes-since") || query.has("limit")) && path.endsWith("/servers/detail");
}
