// The confirmation of an action on instances, each requested by itself. Rejected ones stay in the dialog, with the cause.

import { Alert } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { given, type Shape } from "../../../src/client/client.ts";
import type { InstanceAction as Action } from "../../../src/rules/lifecycle.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { counted } from "../shared/format-number.ts";
import { nameShown } from "../shared/readable-name.ts";
import { act, rejection, touchedByAction } from "./act.ts";
import { actionTitles } from "./action-words.ts";

type Instance = Shape<"Instance">;

/** Requests at a time: the service counts them by the minute. */
const together = 4;

interface ActionDialogProps {
  readonly action: Action;
  /** At least one, each in a state that allows the action. */
  readonly instances: readonly Instance[];
  /** Of an operator; undefined: the instances are those of the account. */
  readonly reason?: string;
  /** Something is missing yet, such as the reason. */
  readonly disabled?: boolean;
  /** What happens and what is lost, with the instances that are left in the question. */
  readonly children: (left: readonly Instance[]) => ReactNode;
  readonly onClose: () => void;
  /** Every action succeeded; onClose follows. */
  readonly onDone?: (() => void) | undefined;
}

export function ActionDialog({ action, instances, reason, disabled, children, onClose, onDone }: ActionDialogProps) {
  const { client } = useSession();
  const queries = useQueryClient();
  // As it was opened: instances whose state changes meanwhile stay in the dialog.
  const [left, setLeft] = useState(instances);
  const [failed, setFailed] = useState<readonly Outcome<Instance>[]>([]);
  const acting = useMutation<readonly Outcome<Instance>[], Error>({
    mutationFn: () => inTurn(left, together, ({ id }) => given(act(client, action, id, reason))),
    onSuccess: (outcomes) => {
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => touchedByAction.includes(String(queryKey[0])),
      });
      const failures = outcomes.filter(({ error }) => error !== undefined);
      setFailed(failures);
      if (failures.length > 0) return setLeft(failures.map(({ item }) => item));
      onDone?.();
      onClose();
    },
  });
  const [only] = left;
  const what = left.length === 1 && only !== undefined ? nameShown(only) : counted(left.length, "instance");
  const verb = actionTitles[action];
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`${verb} ${what}?`}
      action={left.length === 1 ? verb : `${verb} ${what}`}
      {...(action === "terminate" ? { word: what } : {})}
      disabled={disabled ?? false}
      onConfirm={() => acting.mutate()}
      pending={acting.isPending}
      error={null}
    >
      {children(left)}
      {failed.length > 0 && (
        <Alert color="red" role="alert" title={`${counted(failed.length, "instance")} didn't change`} mt="md">
          {failed.map(({ item, error }) => (
            <p key={item.id}>
              <strong>{nameShown(item)}</strong>: {rejection(error)}
            </p>
          ))}
        </Alert>
      )}
    </ConfirmTyped>
  );
}

interface Outcome<Item> {
  readonly item: Item;
  /** Undefined: it succeeded. */
  readonly error: unknown;
}

/** Bounded concurrency: at most `together`. Never throws; the outcomes are in the order of `items`. */
async function inTurn<Item>(
  items: readonly Item[],
  together: number,
  ask: (item: Item) => Promise<unknown>,
): Promise<readonly Outcome<Item>[]> {
  const outcomes = new Map<Item, unknown>();
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const done = item;
      await ask(done).then(
        () => outcomes.set(done, undefined),
        (error: unknown) => outcomes.set(done, error ?? new Error("It failed.")),
      );
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return items.map((item) => ({ item, error: outcomes.get(item) }));
}
