// The generator's plan and report: both are sent between two processes as JSON.

export interface PlannedRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * `{#}` in path, headers or body of a request is replaced by a number that is unique within the run, as twelve
 * hexadecimal digits: for a new Idempotency-Key or UUID.
 */
export const NUMBER_MARK = "{#}";

export interface LoadPlan {
  /** Each with its port; connections are spread over them in turn. */
  readonly ports: readonly number[];
  /** Sent in turn, over all connections. */
  readonly requests: readonly PlannedRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** The maximum number of requests, if it is reached before the time is over. */
  readonly mostRequests?: number;
  /** The first of the numbers for `{#}`. */
  readonly firstNumber: number;
}

export interface LoadReport {
  /** From the first request to the last response that counts. */
  readonly seconds: number;
  /** Responses, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Counts of a Histogram. */
  readonly latencies: readonly number[];
  /** The generator's CPU usage, of one core. */
  readonly busy: number;
  /** The beginning of the first response that was not 2xx, to report the error. */
  readonly firstFailure: string | null;
}
