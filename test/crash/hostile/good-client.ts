// A client that behaves: one connection, one request after the other with a little pause, and it notes how it was served.

import { setTimeout as sleep } from "node:timers/promises";
import { ExactClient } from "../../support/exact-client.ts";
import type { Target } from "./target.ts";

export interface Served {
  /** Milliseconds of each answer of 200. */
  readonly ms: readonly number[];
  /** What else came of a request. A connection that was idle when room was made is no fault: it is asked again once. */
  readonly wrong: readonly string[];
}

const pauseMs = 20;

export class GoodClient {
  readonly #target: Target;
  readonly #client = new ExactClient({ keepAlive: true });
  readonly #working: Promise<void>;
  #ms: number[] = [];
  #wrong: string[] = [];
  #isOver = false;

  constructor(target: Target) {
    this.#target = target;
    this.#working = this.#work();
  }

  /** How it was served since the last time that was asked. */
  takeServed(): Served {
    const served = { ms: this.#ms, wrong: this.#wrong };
    this.#ms = [];
    this.#wrong = [];
    return served;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
    this.#client.close();
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const first = await this.#ask();
      const outcome = first.kind === "cut" ? await this.#ask() : first;
      if (outcome.kind === "answered" && outcome.status === 200) this.#ms.push(outcome.ms);
      else this.#wrong.push(outcome.kind === "answered" ? `${outcome.status}` : JSON.stringify(outcome));
      await sleep(pauseMs);
    }
  }

  #ask() {
    const headers = { authorization: `Bearer ${this.#target.token}` };
    return this.#client.send(`${this.#target.marketplace}/instance-types`, { headers });
  }
}
