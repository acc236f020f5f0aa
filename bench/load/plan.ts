// What the generator is told to do, and what it tells of it: both travel between two processes as JSON.

export interface PlannedRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * `{#}` in path, headers or body of a request is replaced by a number that no other request of the run has, as twelve
 * hexadecimal digits: what makes an Idempotency-Key or a UUID a new one.
 */
export const NUMBER_MARK = "{#}";

export interface LoadPlan {
  /** Each with the port that it is sent to; connections go to them in turn. */
  readonly ports: readonly number[];
  /** Sent in turn, over all connections. */
  readonly requests: readonly PlannedRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** The end, should that come first: so many requests are sent and no more. */
  readonly mostRequests?: number;
  /** The first of the numbers for `{#}`. */
  readonly firstNumber: number;
}

export interface LoadReport {
  /** From the first request to the last answer that counts. */
  readonly seconds: number;
  /** Answers, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Counts of a Histogram. */
  readonly latencies: readonly number[];
  /** What the generator itself took, of one core. */
  readonly busy: number;
  /** The beginning of the first answer that was no 2xx, to say what went wrong. */
  readonly firstFailure: string | null;
}
