// A server whose instances have terminals that the test plays, and a customer with one active instance: for the tests of
// src/http/control/instances/terminal.ts. The terminals themselves are in terminals.ts.

import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { Browser } from "./console.ts";
import { type RunningHttp, startHttp } from "./http.ts";
import { openTerminal, PlayedEngine } from "./terminals.ts";
import { makeWorld, type World } from "./world.ts";

type Parts = NonNullable<Parameters<typeof startHttp>[1]>;
type Customer = Awaited<ReturnType<RunningHttp["customer"]>>;

/** Call it once in a file of tests; each test starts its server itself. */
export function terminalsOfFile(): TerminalsFixture {
  const fixture = new TerminalsFixture();
  beforeAll(() => fixture.openWorld());
  beforeEach(() => fixture.reset());
  afterEach(() => fixture.stop());
  afterAll(() => fixture.close());
  return fixture;
}

export class TerminalsFixture {
  #world: World | undefined;
  #started: { http: RunningHttp; customer: Customer; instanceId: string } | undefined;
  engine = new PlayedEngine();

  async openWorld(): Promise<void> {
    this.#world = await makeWorld();
  }

  reset(): void {
    this.engine = new PlayedEngine();
    this.#started = undefined;
  }

  async stop(): Promise<void> {
    await this.#started?.http.close();
  }

  async close(): Promise<void> {
    await this.#world?.close();
  }

  get world(): World {
    if (this.#world === undefined) throw new Error("the world is not open yet: it opens in beforeAll");
    return this.#world;
  }

  get #here() {
    if (this.#started === undefined) throw new Error("the server is not there yet: the test starts it");
    return this.#started;
  }

  get http(): RunningHttp {
    return this.#here.http;
  }

  get customer(): Customer {
    return this.#here.customer;
  }

  get instanceId(): string {
    return this.#here.instanceId;
  }

  /** The address of the instance's terminal. */
  get url(): string {
    return `${this.http.control}/instances/${this.instanceId}/terminal`;
  }

  /** A server with these settings, and a customer whose one instance is active. */
  start = async (terminals: Parts["terminals"] & object = {}, more: Parts = {}): Promise<void> => {
    const http = await startHttp(this.world, { engines: new Map([["simulated", this.engine]]), terminals, ...more });
    const customer = await http.customer();
    const { world } = this;
    await world.host({ gpus: 1 });
    await world.image();
    const product = await world.product({ gpus: 1 });
    const { id } = await world.launchOne(customer.principal, { instanceType: product.name });
    await world.put(id, "active");
    this.#started = { http, customer, instanceId: id };
  };

  /** By the customer unless told. */
  open = (by: Parameters<typeof openTerminal>[1] = this.customer.token, query = "") =>
    openTerminal(this.url + query, by);

  /** A browser of the customer, and what it sends. */
  signedIn = async (): Promise<{ browser: Browser; headers: Record<string, string> }> => {
    const { main } = this.http;
    const browser = new Browser(main);
    await browser.signIn(this.customer.token);
    return { browser, headers: { cookie: browser.cookie ?? "", origin: main, "sec-fetch-site": "same-origin" } };
  };

  /** What the audit log has of the instance, oldest first. */
  audited = async () => {
    const path = `${this.http.control}/audit-log?object=${this.instanceId}`;
    const { body } = await this.http.call("GET", path, { token: this.customer.token });
    const { data } = body as { data: { operation: string; result: string; status: number }[] };
    return data.map(({ operation, result, status }) => [operation, result, status]).reverse();
  };
}
