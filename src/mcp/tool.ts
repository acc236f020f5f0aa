// A tool: a name, an input schema, and what it does through the service's interfaces. Its texts are for the agent that
// selects a tool; the input is checked against the schema before anything is done. Used by tools.ts and server.ts.

import type { Static, TObject } from "typebox";
import type { ServiceClient } from "./service-client.ts";

export interface ToolCall<Input> {
  readonly input: Input;
  readonly service: ServiceClient;
  /** Aborted when the agent cancels the call. */
  readonly signal: AbortSignal;
  /** Reports progress to the agent, if it listens. */
  readonly report: (message: string) => Promise<void>;
}

/** The agent's result: text, and the data itself. */
export interface ToolAnswer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  /** For clients that ask their user before some calls: the effect of a call. */
  readonly hints: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  /** `input` has been checked against the schema. Throws ServiceError. */
  readonly run: (call: ToolCall<never>) => Promise<ToolAnswer>;
}

const kinds = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  /** Creates something new each time. */
  makes: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  /** Makes reversible changes. */
  changes: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  destroys: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const;

/** Declares a tool; the type of its input follows from its schema. */
export function tool<T extends TObject>(
  kind: keyof typeof kinds,
  declared: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly input: T;
    readonly run: (call: ToolCall<Static<T>>) => Promise<ToolAnswer>;
  },
): Tool {
  // Otherwise a misspelled argument would be ignored: an instance without SSH keys, or without an end.
  return { ...declared, input: { ...declared.input, additionalProperties: false }, hints: kinds[kind] };
}
