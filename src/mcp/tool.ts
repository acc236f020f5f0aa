// What a tool is: a name, what it takes, and what it does through the service's interfaces. The words are for the agent
// that chooses among them; the schema is what is checked before anything is done. Used by tools.ts and server.ts.

import type { Static, TObject } from "typebox";
import type { ServiceClient } from "./service-client.ts";

export interface ToolCall<Input> {
  readonly input: Input;
  readonly service: ServiceClient;
  /** Aborted when the agent takes the call back. */
  readonly signal: AbortSignal;
  /** Tells the agent how far it is, where it listens. */
  readonly report: (message: string) => Promise<void>;
}

/** What the agent is given: a sentence or more for reading, and the data itself. */
export interface ToolAnswer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  /** For the client that asks its user before some calls: what a call can do. */
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
  /** Makes something new each time. */
  makes: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  /** Changes what can be changed back. */
  changes: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  destroys: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const;

/** Declares a tool; what it is run with fits its schema. */
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
  // A misspelt argument would otherwise be one that was not given: a machine without keys, or without an end.
  return { ...declared, input: { ...declared.input, additionalProperties: false }, hints: kinds[kind] };
}
