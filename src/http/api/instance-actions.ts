// Stop, restart and terminate of instances that a request lists: one table of what each action is, and the routes that the
// interfaces declare over it, with paths, fields and views of their own. The control interface, which acts on one instance
// at a time, has its own table (control/instances/operations.ts).
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

/** What an action on several instances is called, does, and is rejected with. */
const table = {
  stop: {
    summary: "Stop instances",
    description: "Stops instances, all or none of them. Their data stays, and billing continues.",
    errors: ["unknown-object", "instance-terminated"],
  },
  restart: {
    summary: "Restart stopped instances",
    description: "Starts instances that are stopped, all or none of them.",
    errors: ["unknown-object", "instance-not-stopped"],
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

/** An operation of an interface that does one action. */
export interface ActionOperation<B extends TSchema, I extends TSchema> {
  readonly action: keyof typeof table;
  /** operationId, and the path below the interface's. */
  readonly id: string;
  readonly path: string;
  readonly tag: string;
  /** 200 unless told. */
  readonly status?: number;
  readonly body: B;
  /** The field of the body that lists the instances. */
  readonly ids: keyof Static<B> & string;
  /** Where in the response the instances are, from the outside in: `["data", "stopped_instances"]`. */
  readonly answerAt: readonly string[];
  /** One instance of the response, and as a pinned token is shown it where that is not the same. */
  readonly item: I;
  readonly pinnedItem?: TSchema;
  readonly view: (instance: Instance, call: Pick<Call<never, never>, "service">) => Static<I>;
  readonly example: { readonly request: Static<B>; readonly item: Static<I> };
  /** What is done instead of the action. */
  readonly instead?: (call: Pick<Call<never, never>, "version">) => InstanceAction;
  /** An empty list does nothing. */
  readonly takesNone?: boolean;
  /** Instead of the table's. */
  readonly summary?: string;
  readonly description?: string;
}

/** Declares the operation. */
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
      // The field is a list of texts, which the validator has checked.
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

/** The state that an action leads to from another one. */
export function stateAfter(action: InstanceAction): State {
  const [entered] = statesEnteredBy({ [action]: actions[action] });
  if (entered === undefined) throw new Error(`BUG: ${action} leads nowhere`);
  return entered;
}

/** The instance of the examples as it is right after an action. */
export function sampleAfter(action: InstanceAction): Instance {
  return { ...sampleInstance, state: stateAfter(action) };
}
