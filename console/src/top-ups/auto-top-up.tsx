// Auto top-up on the page of the balance: whether it is on, what it charges and has charged, and why it was turned off.
//
// Its charges begin without an event, so that it is read again.

import { Alert, Badge, Button, Group, Skeleton } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { methodName } from "../payment-methods/method-words.ts";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Icon } from "../shared/icon.tsx";
import { Section } from "../shared/page.tsx";
import { failureWords } from "../shared/payment-words.ts";
import { Permitted } from "../shared/permitted.tsx";
import { Time } from "../shared/time.tsx";
import { AutoTopUpDialog } from "./auto-top-up-dialog.tsx";
import { paymentAmount } from "./status-words.ts";

type Present = Shape<"AutoTopUp">;
type Method = Shape<"PaymentMethod">;

/** While something is charged, and otherwise. */
const pollMilliseconds = [5000, 60_000] as const;

interface AutoTopUpProps {
  /** Undefined: not read yet. */
  readonly limits: NonNullable<Shape<"Balance">["top_ups"]> | undefined;
}

export function AutoTopUp({ limits }: AutoTopUpProps) {
  const missing = useSession().lack("money");
  const [opened, setOpened] = useState<"form" | "Turn off" | "Remove">();
  const read = useRead(["auto-top-up"], (client) => client.GET("/auto-top-up"), {
    again: (answer) => pollMilliseconds[(answer?.data?.in_progress_cents ?? 0) > 0 ? 0 : 1],
  });
  const methods = useRead(["payment-methods", "own"], (client) => client.GET("/payment-methods"));
  const failed = [read, methods].find(({ data, error }) => data === undefined && error !== null);
  if (failed?.error != null)
    return (
      <Section title={title}>
        <ErrorState error={failed.error} again={() => void failed.refetch()} />
      </Section>
    );
  if (limits === undefined || read.data === undefined || methods.data === undefined)
    return (
      <Section title={title}>
        <Skeleton height={45} />
      </Section>
    );
  const present = read.data.data;
  const saved = methods.data.data.filter(({ status }) => status === "saved");
  const removal = present?.turned_off_at === null ? "Turn off" : "Remove";
  const close = () => setOpened(undefined);
  return (
    <Section
      title={title}
      actions={
        <Permitted to="change auto top-up" missing={missing}>
          <Group gap="xs">
            {present !== null && (
              <Button variant="default" onClick={() => setOpened(removal)}>
                {removal}
                <span className="hidden"> auto top-up</span>
              </Button>
            )}
            {saved.length === 0 ? (
              <Button component={Link} href="/payment-methods" variant="default">
                Add payment method
              </Button>
            ) : (
              <Button variant="default" onClick={() => setOpened("form")}>
                {actionOf(present)}
                <span className="hidden"> auto top-up</span>
              </Button>
            )}
          </Group>
        </Permitted>
      }
    >
      <State present={present} methods={saved} currency={limits.currency} />
      {opened === "form" && <AutoTopUpDialog present={present} methods={saved} limits={limits} onClose={close} />}
      {(opened === "Turn off" || opened === "Remove") && <Removal action={opened} onClose={close} />}
    </Section>
  );
}

const title = "Auto top-up";

function actionOf(present: Present | null): string {
  if (present === null) return "Turn on";
  return present.turned_off_at === null ? "Change" : "Turn on again";
}

interface StateProps {
  readonly present: Present | null;
  /** Those that can be charged. */
  readonly methods: readonly Method[];
  readonly currency: string;
}

function State({ present, methods, currency }: StateProps) {
  const money = (cents: number) => paymentAmount(cents, currency);
  if (present === null)
    return (
      <Line badge={<Badge color="gray">Off</Badge>}>
        <div>Charges a saved payment method when the balance is low, so that what you run goes on.</div>
        {methods.length === 0 && <div className="soft">Save a payment method first.</div>}
      </Line>
    );
  const { amount_cents: amount, threshold_cents: threshold, monthly_cap_cents: cap } = present;
  const { charged_this_month_cents: charged, in_progress_cents: inProgress, turned_off_reason: reason } = present;
  const soFar = `${money(charged)} of at most ${money(cap)} charged this month`;
  if (present.turned_off_at !== null)
    return (
      <Alert color="red" icon={<Icon name="warning" />} title="Auto top-up was turned off">
        {reason !== null && failureWords(reason)} Nothing is charged until you turn it on again. Check the payment
        method, or save another one. Turned off <Time at={present.turned_off_at} />, {soFar}.
      </Alert>
    );
  const method = methods.find(({ id, is_default: isDefault }) =>
    present.payment_method_id === null ? isDefault : id === present.payment_method_id,
  );
  return (
    <Line badge={<Badge color="green">On</Badge>}>
      <div>
        Charges {money(amount)} to{" "}
        {method === undefined ? "a payment method that is not saved any more" : methodName(method)} when the balance is
        below {money(threshold)}.
      </div>
      <div className="soft">
        {soFar}
        {inProgress > 0 && `, of which ${money(inProgress)} is in progress`}.
        {charged + amount > cap && " The monthly cap allows no further charge this month (UTC)."}
      </div>
    </Line>
  );
}

const Line = ({ badge, children }: { readonly badge: ReactNode; readonly children: ReactNode }) => (
  <Group gap="md" align="flex-start" wrap="nowrap">
    {badge}
    <div>{children}</div>
  </Group>
);

function Removal({ action, onClose }: { readonly action: "Turn off" | "Remove"; readonly onClose: () => void }) {
  const remove = useChange<undefined, unknown>((client) => client.DELETE("/auto-top-up"), ["auto-top-up"]);
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`${action} auto top-up?`}
      action={action}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>
        Its limits are deleted
        {action === "Turn off" && ", and no further charge begins. When the balance is used up, what you run can end"}.
      </p>
    </ConfirmTyped>
  );
}
