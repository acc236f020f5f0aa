// `lessor/client`: the control API as typed calls, for programs that customers and operators write, and for the command
// line. Its paths and shapes are those of the interface's OpenAPI document (control-api.ts, generated), so a call that the
// service would not know does not compile. Needs fetch, and nothing of the service; compiled by `npm run build`.
//
//   const lessor = lessorClient({ baseUrl: "https://gpu.example.com/control/v1", token });
//   const { data } = await given(lessor.POST("/instances", { body: { instance_type: "gpu_1x_h100_pcie" } }));
//   const [{ status }] = instancesOf(data);

import openapiFetch, { type Client } from "openapi-fetch";
import type { components, paths } from "./control-api.ts";

export type { components, operations, paths } from "./control-api.ts";
export { instancesOf, type LaunchAnswer, waitingOf } from "./launched.ts";

/** `GET`, `POST`, `PUT`, `PATCH` and `DELETE` for the paths of the control API. */
export type LessorClient = Client<paths>;

/** A shape by its name in the document, such as `Shape<"Instance">`. */
export type Shape<Name extends keyof components["schemas"]> = components["schemas"][Name];

export interface LessorOptions {
  /** Where the control API is, with its prefix: https://gpu.example.com/control/v1. */
  readonly baseUrl: string;
  /** Only accepting an invitation needs none. */
  readonly token?: string | undefined;
  /** Instead of the global one: for a proxy, or a time-out of one's own. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

export function lessorClient({ baseUrl, token, fetch }: LessorOptions): LessorClient {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return openapiFetch<paths>({ baseUrl, headers, ...(fetch === undefined ? {} : { fetch }) });
}

/** What a call answers with: one of `data` and `error`. */
export interface Answered<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of the answer to a call. Throws LessorError for a refusal, and whatever fetch throws where there is no answer. */
export async function given<T>(asked: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (data === undefined) throw new LessorError(response.status, error);
  return data;
}

/** The service said no. `message` is a sentence for people, `code` is what a program looks at. */
export class LessorError extends Error {
  override readonly name = "LessorError";
  /** The status of the answer. */
  readonly status: number;
  /** Stable, such as `global/quota-exceeded`; "" where the answer is not this service's. */
  readonly code: string;
  /** What to do about it. */
  readonly suggestion: string;
  /** Also in the log of the service: give it to whoever runs it. */
  readonly requestId: string;
  /** Problems with individual fields, by path. */
  readonly fields: Readonly<Record<string, Shape<"FieldError">>>;

  constructor(status: number, body: unknown) {
    // Of this service it is one; another in its place may have sent anything.
    const { error, field_errors = {} } = (body ?? {}) as Partial<Shape<"Error">>;
    super(error?.message ?? `The response (${status}) is not from a Lessor service.`);
    this.status = status;
    this.code = error?.code ?? "";
    this.suggestion = error?.suggestion ?? "";
    this.requestId = error?.request_id ?? "";
    this.fields = field_errors;
  }
}
