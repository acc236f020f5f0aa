// The firewall: rules for all instances of the account, and rulesets that instances are launched with.

import { Alert, Button } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { counted } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { Page, Section } from "../shared/page.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { type Rule, sourceWords, trafficWords } from "./rules.ts";
import { Rulesets } from "./rulesets.tsx";
import { useAccountRules, useRemoveRule } from "./use-rules.ts";

/** There is no event for a rule that reached an instance. */
const pendingMilliseconds = 3_000;

interface Numbered {
  readonly rule: Rule;
  /** Rules may be equal. */
  readonly at: number;
}

export function FirewallPage() {
  const { may } = useSession();
  const read = useAccountRules();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Rule>();
  const rules = read.data?.data;
  const add = may("rent") && (
    <Button onClick={() => setAdding(true)} leftSection={<Icon name="plus" />}>
      Add rule
    </Button>
  );
  return (
    <Page
      title="Firewall"
      description="Rules allow incoming traffic and are combined. Other incoming traffic is blocked. Outgoing traffic and its responses are always allowed."
      actions={add}
    >
      <Pending />
      <Section title="All instances">
        <DataTable
          label="Firewall rules"
          columns={columns}
          rows={rules?.map((rule, at): Numbered => ({ rule, at }))}
          rowKey={({ at }) => String(at)}
          error={read.error}
          onRetry={() => void read.refetch()}
          filter={false}
          rowActions={
            may("rent")
              ? ({ rule }) => (
                  <Button size="compact-sm" variant="subtle" color="red" onClick={() => setRemoving(rule)}>
                    Remove<span className="hidden"> {trafficWords(rule)}</span>
                  </Button>
                )
              : undefined
          }
          empty={
            <EmptyState icon="firewall" title="No rules">
              Only instances with a ruleset receive incoming traffic.
              {add}
            </EmptyState>
          }
        />
      </Section>
      <Rulesets />
      {adding && <RuleDialog rules={rules ?? []} onClose={() => setAdding(false)} />}
      {removing !== undefined && (
        <RemoveRule rule={removing} isLast={rules?.length === 1} onClose={() => setRemoving(undefined)} />
      )}
    </Page>
  );
}

/** Instances that the current rules have not reached. */
function Pending() {
  const { account } = useSession();
  const query = { account_id: account.id };
  const read = useRead(["instances", "own"], (client) => client.GET("/instances", { params: { query } }), {
    again: (instances) => (instances?.data.some(isPending) ? pendingMilliseconds : false),
  });
  const count = read.data?.data.filter(isPending).length ?? 0;
  return (
    <div role="status">
      {count > 0 && (
        <Alert color="amber" title="Applying rules">
          {counted(count, "instance")} still {count === 1 ? "has" : "have"} the previous rules.
        </Alert>
      )}
    </div>
  );
}

const isPending = ({ firewall_pending }: { readonly firewall_pending: boolean }): boolean => firewall_pending;

interface RemoveRuleProps {
  readonly rule: Rule;
  readonly isLast: boolean;
  readonly onClose: () => void;
}

function RemoveRule({ rule, isLast, onClose }: RemoveRuleProps) {
  const remove = useRemoveRule();
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title="Remove this rule?"
      action="Remove"
      onConfirm={() => remove.mutate(rule, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>
        <strong>
          {trafficWords(rule)} from {sourceWords(rule)}
        </strong>{" "}
        is no longer allowed, unless another rule allows it.
      </p>
      {isLast && <p>It is the last rule: without one, nothing can connect to your instances, SSH included.</p>}
    </ConfirmTyped>
  );
}

const columns: readonly Column<Numbered>[] = [
  { key: "traffic", header: "Traffic", primary: true, cell: ({ rule }) => trafficWords(rule) },
  { key: "source", header: "Source", cell: ({ rule }) => <span title={rule.source_network}>{sourceWords(rule)}</span> },
  {
    key: "description",
    header: "Description",
    cell: ({ rule }) => rule.description || <span className="soft">–</span>,
  },
];
