// Executes a plan: a number of connections, each with one pending request, for a duration. Runs in the generator's own
// process, where nothing else happens.

import { connect, type Socket } from "node:net";
import { AnswerReader } from "./answer-reader.ts";
import { Histogram } from "./histogram.ts";
import type { LoadPlan, LoadReport } from "./plan.ts";
import { RequestBytes } from "./request-bytes.ts";

/** How long to wait for the last responses. */
const PATIENCE_MS = 30_000;

/** Resolves when the time is over and every request has a response. Rejects if a connection cannot be made. */
export async function runPlan(plan: LoadPlan): Promise<LoadReport> {
  const run = new Run(plan);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await run.run();
  const wall = (performance.now() - begun) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { ...run.report(), busy: (user + system) / wall };
}

class Run {
  readonly #plan: LoadPlan;
  readonly #requests: readonly RequestBytes[];
  readonly #latencies = new Histogram();
  readonly #statuses = new Map<number, number>();
  readonly #done = Promise.withResolvers<void>();
  #begun = 0;
  #deadline = 0;
  #lastAnswer = 0;
  #sent = 0;
  #underWay = 0;
  #firstFailure: string | null = null;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#requests = plan.requests.map((request) => new RequestBytes(request));
  }

  async run(): Promise<void> {
    const { connections, ports, seconds } = this.#plan;
    const lines = await Promise.all(
      Array.from({ length: connections }, (_, i) => Line.open(ports[i % ports.length] ?? 0, this)),
    );
    this.#begun = performance.now();
    this.#lastAnswer = this.#begun;
    this.#deadline = this.#begun + seconds * 1000;
    this.#underWay = lines.length;
    for (const line of lines) line.next();
    const impatience = setTimeout(() => this.failed(new Error("answers did not come")), seconds * 1000 + PATIENCE_MS);
    await this.#done.promise.finally(() => {
      clearTimeout(impatience);
      for (const line of lines) line.end();
    });
  }

  report(): Omit<LoadReport, "busy"> {
    return {
      seconds: (this.#lastAnswer - this.#begun) / 1000,
      statuses: Object.fromEntries(this.#statuses),
      latencies: this.#latencies.counts,
      firstFailure: this.#firstFailure,
    };
  }

  /** The next request to send; undefined after the end. */
  take(): Buffer | undefined {
    const isOver = performance.now() >= this.#deadline || this.#sent >= (this.#plan.mostRequests ?? Infinity);
    if (isOver) {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#done.resolve();
      return undefined;
    }
    const request = this.#requests[this.#sent % this.#requests.length];
    this.#sent += 1;
    return request?.numbered(this.#plan.firstNumber + this.#sent);
  }

  /** Responses after the end are awaited, but do not count. */
  answered(status: number, sentAt: number, head: string): void {
    const now = performance.now();
    if (now > this.#deadline) return;
    this.#lastAnswer = now;
    this.#latencies.add((now - sentAt) * 1000);
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (status >= 300) this.#firstFailure ??= head.slice(0, 300);
  }

  failed(error: Error): void {
    this.#done.reject(error);
  }
}

/** One connection, reopened if the server closes it between two requests. */
class Line {
  readonly #port: number;
  readonly #run: Run;
  #socket: Socket | undefined;
  #sentAt = 0;
  #waiting = false;
  #over = false;

  private constructor(port: number, run: Run) {
    this.#port = port;
    this.#run = run;
  }

  static async open(port: number, run: Run): Promise<Line> {
    const line = new Line(port, run);
    await line.#connect();
    return line;
  }

  next(): void {
    const request = this.#run.take();
    if (request === undefined) return;
    this.#waiting = true;
    this.#sentAt = performance.now();
    this.#socket?.write(request);
  }

  end(): void {
    this.#over = true;
    this.#socket?.destroy();
  }

  #connect(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let mustReopen = false;
    const reader = new AnswerReader((status, head) => {
      this.#waiting = false;
      this.#run.answered(status, this.#sentAt, head);
      mustReopen = /\r\nconnection: *close/i.test(head) || head.startsWith("HTTP/1.0");
      if (!mustReopen) this.next();
    });
    const buffer = Buffer.allocUnsafe(256 * 1024);
    const socket = connect({
      port: this.#port,
      host: "127.0.0.1",
      noDelay: true,
      // One buffer for everything received: it is parsed at once.
      onread: {
        buffer,
        callback: (length) => {
          try {
            reader.feed(buffer.subarray(0, length));
          } catch (error) {
            this.#run.failed(error as Error); // AnswerReader throws nothing else
          }
          return true;
        },
      },
    });
    this.#socket = socket;
    socket.once("connect", resolve);
    socket.on("error", (error) => {
      reject(error);
      if (!this.#over && this.#waiting) this.#run.failed(error);
    });
    socket.once("close", () => {
      if (this.#over) return;
      reader.closed();
      if (this.#waiting) this.#run.failed(new Error(`port ${this.#port}: the connection ended without an answer`));
      else
        this.#connect().then(
          () => mustReopen && this.next(),
          (error) => this.#run.failed(error),
        );
    });
    return promise;
  }
}
