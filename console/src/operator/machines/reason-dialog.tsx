// The question before an operator does something with instances of customers: what happens, and the reason, which customers
// read in their events, audit log and on the instance's page. With several instances each is asked for by itself; those
// that were rejected stay in the question, with the cause.

import { Alert, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { given } from "../../../../src/client/index.ts";
import { useSession } from "../../api/session-context.tsx";
import { inTurn, type Outcome } from "../../machines/in-turn.ts";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { counted } from "../../shared/format-number.ts";
import { nameShown } from "../../shared/readable-name.ts";
import { useAccountNames } from "../account-name.tsx";
import { act, rejection, touchedByAction } from "./act.ts";
import { type Action, actionEffects, actionTitles } from "./action-words.ts";
import type { Machine } from "./machine-columns.tsx";

/** Requests at a time: the service counts them by the minute. */
const together = 4;
/** As long as the service takes it. */
const longestReason = 300;
/** So many are named one by one. */
const mostNamed = 8;

interface ReasonDialogProps {
  readonly action: Action;
  /** At least one, each in a state that allows the action. */
  readonly machines: readonly Machine[];
  readonly onClose: () => void;
  /** All was done; onClose follows. */
  readonly onDone?: () => void;
}

export function ReasonDialog({ action, machines, onClose, onDone }: ReasonDialogProps) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  // As it was asked: instances whose state changes meanwhile do not leave the question.
  const [left, setLeft] = useState(machines);
  const [failed, setFailed] = useState<readonly Outcome<Machine>[]>([]);
  const acting = useMutation<readonly Outcome<Machine>[], Error>({
    mutationFn: () => inTurn(left, together, ({ id }) => given(act(client, action, id, reason.trim()))),
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
      disabled={reason.trim() === ""}
      onConfirm={() => acting.mutate()}
      pending={acting.isPending}
      error={null}
    >
      <Affected machines={left} />
      <p>{actionEffects[action]}</p>
      <TextInput
        label="Reason"
        description="The customer sees it in their events, audit log and on the instance's page."
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={longestReason}
        required
        data-autofocus
      />
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

/** Which instances, and whose: "training-run-7 of Northwind". */
function Affected({ machines }: { readonly machines: readonly Machine[] }) {
  const nameOf = useAccountNames();
  const named = machines.slice(0, mostNamed).map((one) => `${nameShown(one)} of ${nameOf(one.account_id)}`);
  const more = machines.length - named.length;
  return (
    <p>
      {named.join(", ")}
      {more > 0 && ` and ${counted(more, "more instance")}`}.
    </p>
  );
}
