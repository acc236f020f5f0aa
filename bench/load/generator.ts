// Generates load from its own process, so that it does not delay the measured server. It still shares the machine with
// it: reports include its CPU usage.

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { Histogram } from "./histogram.ts";
import type { LoadPlan, LoadReport, PlannedRequest } from "./plan.ts";

export interface Order {
  readonly ports: readonly number[];
  readonly requests: readonly PlannedRequest[];
  readonly connections: number;
  readonly seconds: number;
  readonly mostRequests?: number;
}

export interface Load {
  /** 2xx responses per second. */
  readonly rate: number;
  readonly answered: number;
  readonly latencies: Histogram;
  /** Of one core. */
  readonly generatorBusy: number;
}

export class Generator implements Disposable {
  readonly #process: ChildProcess;
  #plans = 0;

  constructor() {
    this.#process = fork(join(import.meta.dirname, "generator-process.ts"));
  }

  /** Runs it. Throws if a response was unsuccessful or missing: a rate of failures is no figure. */
  async run(order: Order): Promise<Load> {
    this.#plans += 1;
    // 2^28 numbers for each plan; twelve hexadecimal digits are 2^48.
    const report = await this.#ask({ ...order, firstNumber: this.#plans * 2 ** 28 });
    const failures = Object.entries(report.statuses).filter(([status]) => !status.startsWith("2"));
    if (failures.length > 0) {
      const told = failures.map(([status, count]) => `${count} × ${status}`).join(", ");
      throw new Error(`Answers were no successes: ${told}. The first:\n${report.firstFailure ?? ""}`);
    }
    const latencies = new Histogram(report.latencies);
    const answered = latencies.total;
    if (answered === 0) throw new Error(`Nothing was answered within ${order.seconds} s.`);
    return { rate: answered / report.seconds, answered, latencies, generatorBusy: report.busy };
  }

  [Symbol.dispose](): void {
    this.#process.kill();
  }

  #ask(plan: LoadPlan): Promise<LoadReport> {
    const { promise, resolve, reject } = Promise.withResolvers<LoadReport>();
    const onExit = () => reject(new Error("the load generator ended"));
    const onMessage = (message: { report?: LoadReport; failure?: string }) => {
      this.#process.off("exit", onExit);
      if (message.report !== undefined) resolve(message.report);
      else reject(new Error(message.failure));
    };
    this.#process.once("exit", onExit);
    this.#process.once("message", onMessage);
    this.#process.send(plan);
    return promise;
  }
}
