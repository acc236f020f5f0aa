// The confirmation of an operator's action on customers' instances, with the reason, which customers see in their events,
// audit log and on the instance's page.

import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { InstanceAction as Action } from "../../../../src/rules/lifecycle.ts";
import { ActionDialog } from "../../instances/action-dialog.tsx";
import { actionEffects } from "../../instances/action-words.ts";
import { counted } from "../../shared/format-number.ts";
import { nameShown } from "../../shared/readable-name.ts";
import { shortId } from "../../shared/short-id.tsx";
import { useAccountNames } from "../account-name.tsx";
import type { Instance } from "./instance-columns.tsx";
import classes from "./reason-dialog.module.css";

/** The limit of the service. */
const longestReason = 300;
/** At most this many are listed. */
const mostNamed = 8;

interface ReasonDialogProps {
  readonly action: Action;
  /** At least one, each in a state that allows the action. */
  readonly instances: readonly Instance[];
  readonly onClose: () => void;
  /** Every action succeeded; onClose follows. */
  readonly onDone?: () => void;
}

export function ReasonDialog({ action, instances, onClose, onDone }: ReasonDialogProps) {
  const [reason, setReason] = useState("");
  return (
    <ActionDialog
      action={action}
      instances={instances}
      reason={reason.trim()}
      disabled={reason.trim() === ""}
      onClose={onClose}
      onDone={onDone}
    >
      {(left) => (
        <>
          <Affected instances={left} />
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
        </>
      )}
    </ActionDialog>
  );
}

/** The instances with id, account and host, because names are not unique. */
function Affected({ instances }: { readonly instances: readonly Instance[] }) {
  const nameOf = useAccountNames();
  const more = instances.length - mostNamed;
  return (
    <ul className={classes.affected}>
      {instances.slice(0, mostNamed).map((one) => (
        <li key={one.id}>
          <strong>{nameShown(one)}</strong> (<code title={one.id}>{shortId(one.id)}</code>) of account{" "}
          {nameOf(one.account_id)}, on host {one.host ?? "–"} in {one.region.name}
        </li>
      ))}
      {more > 0 && <li>and {counted(more, "more instance")}</li>}
    </ul>
  );
}
