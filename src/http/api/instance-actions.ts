// Stop, restart and terminate for the instances that a request lists: one table of the actions, and the routes that the
// interfaces declare with their own paths, fields and views. The control interface, which acts on one instance at a
// time, has its own table (control/instances/operations.ts).
//
// Invariant: all or none of the instances that a request lists, in one transaction.
// Used by marketplace, direct, reference and lambda.

import { type Static, type TSchema, Type } from "typebox";
import { change } from "../../rental/instances/change.ts";
import type { Instance } from "../../rental/instances/instance.ts";
import { actions, type InstanceAction, type State, statesEnteredBy } from "../../rules/lifecycle.ts";
import type { ErrorKind } from "../errors/api-error.ts";
import type { Api, Call } from "./operations.ts";
import { sampleInstance } from "./samples.ts";

/** What an action on several instances is called, does, and can fail with. */
const table = {
  stop: {
    summary: "Stop instances",
    description: "Stops instances, all or none of them. Their data stays, and billing continues.",
    errors: ["unknown-object", "instance-terminated"],
  },
  restart: {
    summary: "Restart stopped instances",
    description: "Starts instances that are stopped, all or none of them.",
    errors: ["unknown-object", "instance-not-stopped", "conflict"],
  },
  terminate: {
    summary: "Terminate instances",
    description: "Deletes instances and their data, all or none of them. Billing ends now.",
    errors: ["unknown-object"],
  },
} as const satisfies Partial<Record<InstanceAction, ActionTexts>>;

interface ActionTexts {
  readonly summary: string;
  readonly description: string;
  readonly errors: readonly ErrorKind[];
}

export interface ActionOperation<B extends TSchema, I extends TSchema> {
  readonly action: keyof typeof table;
  /** operationId, and the path below the interface's. */
  readonly id: string;
  readonly path: string;
  readonly tag: string;
  /** Default: 200. */
  readonly status?: number;
  readonly body: B;
  /** The field of the body that lists the instances. */
  readonly ids: keyof Static<B> & string;
  /** The path of the instances in the response: `["data", "stopped_instances"]`. */
  readonly answerAt: readonly string[];
  /** One instance of the response, and its form for a pinned token if different. */
  readonly item: I;
  readonly pinnedItem?: TSchema;
  readonly view: (instance: Instance, call: Pick<Call<never, never>, "service">) => Static<I>;
  readonly example: { readonly request: Static<B>; readonly item: Static<I> };
  readonly instead?: (call: Pick<Call<never, never>, "version">) => InstanceAction;
  /** An empty list is accepted and does nothing. */
  readonly takesNone?: boolean;
  /** Overrides the table's. */
  readonly summary?: string;
  readonly description?: string;
}

export function actionRoute<B extends TSchema, I extends TSchema>(api: Api, operation: ActionOperation<B, I>): void {
  const { action, path, ids, answerAt, view, example } = operation;
  const { id, tag, status, body, item, pinnedItem } = operation;
  const answerOf = (of: TSchema) =>
    answerAt.reduceRight<TSchema>((inner, key) => Type.Object({ [key]: inner }), Type.Array(of));
  api.post(
    path,
    {
      ...table[action],
      id,
      tag,
      body,
      ...(operation.summary !== undefined && { summary: operation.summary }),
      ...(operation.description !== undefined && { description: operation.description }),
      ...(status !== undefined && { status }),
      ...(pinnedItem !== undefined && { pinned: answerOf(pinnedItem) }),
      answer: answerOf(item),
      example: { request: example.request, answer: nested(answerAt, [example.item]) },
    },
    async (call) => {
      // The validator has checked that the field is a list of strings.
      const listed = (call.body as Readonly<Record<string, readonly string[]>>)[ids] ?? [];
      if (listed.length === 0 && operation.takesNone === true) return nested(answerAt, []);
      const done = operation.instead?.(call) ?? action;
      const changed = await change(call.tx, call.service, call.principal, done, listed, ids);
      return nested(
        answerAt,
        changed.map((instance) => view(instance, call)),
      );
    },
  );
}

function nested(keys: readonly string[], inside: unknown): unknown {
  return keys.reduceRight((inner, key) => ({ [key]: inner }), inside);
}

/** The state that an action leads to. */
export function stateAfter(action: InstanceAction): State {
  const [entered] = statesEnteredBy({ [action]: actions[action] });
  if (entered === undefined) throw new Error(`BUG: ${action} leads nowhere`);
  return entered;
}

/** The example instance right after an action. */
export function sampleAfter(action: InstanceAction): Instance {
  return { ...sampleInstance, state: stateAfter(action) };
}
