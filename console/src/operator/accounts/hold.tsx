// Accounts on hold, because a payment of theirs was disputed: the mark beside their names, and the dialog that lifts a hold.
// Used by the pages of accounts and payments.

import { Badge } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { Time } from "../../shared/time.tsx";

export type HeldAccount = Pick<Shape<"Account">, "id" | "name" | "held_since">;

/** Nothing without a hold. */
export function OnHold({ since }: { readonly since: string | null }) {
  if (since === null) return null;
  return (
    <Badge color="red" title="A payment was disputed: this account launches nothing until the hold is lifted.">
      On hold
    </Badge>
  );
}

interface LiftHoldProps {
  readonly account: HeldAccount;
  readonly onClose: () => void;
}

export function LiftHoldDialog({ account: { id, name, held_since: since }, onClose }: LiftHoldProps) {
  const lift = useChange<undefined, unknown>(
    (client) => client.PATCH("/accounts/{id}", { params: { path: { id } }, body: { lift_hold: true } }),
    ["accounts", "account"],
  );
  const onSuccess = () => {
    notifications.show({ color: "green", message: `${name} can launch again.` });
    onClose();
  };
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Lift the hold of ${name}?`}
      action="Lift hold"
      onConfirm={() => lift.mutate(undefined, { onSuccess })}
      pending={lift.isPending}
      error={lift.error}
    >
      <p>
        It has been on hold since <Time at={since} />. Afterwards it can launch and reserve again, its waiting launches
        continue, and what it launches is billed. The disputed money stays taken back.
      </p>
    </ConfirmTyped>
  );
}
