// What needs an operator's attention, newest first: instances with a stalled operation (retried or slow), with the reason,
// unreachable hosts, hosts with critical findings, quarantined GPUs, reservations at risk, emails that fail, and failed
// instances.

import type { Shape } from "../../../../src/client/client.ts";
import { finalState } from "../../../../src/rules/lifecycle.ts";
import { useRead } from "../../api/queries.ts";
import { stateWords } from "../../instances/state-labels.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Page, Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { useAccountNames } from "../account-name.tsx";
import { useHosts } from "../fleet/use-fleet.ts";
import { accountColumn, hostColumn, nameColumn } from "../instances/instance-columns.tsx";
import classes from "../words.module.css";
import { CriticalHosts } from "./critical-hosts.tsx";
import { FailingEmails } from "./failing-emails.tsx";
import { QuarantinedGpus } from "./quarantined-gpus.tsx";
import { ReservationsAtRisk } from "./reservations-at-risk.tsx";
import { UnreachableHosts } from "./unreachable-hosts.tsx";

type Instance = Shape<"Instance">;

const words: Readonly<Record<NonNullable<Instance["trouble"]>["kind"], string>> = {
  "tried-again": "Retried",
  slow: "Slow",
};

const what: Column<Instance> = {
  key: "what",
  header: "Operation",
  cell: ({ status, trouble }) => (
    <div className={classes.whole}>
      {stateWords[status].title}
      <div className="soft">{trouble && words[trouble.kind]}</div>
    </div>
  ),
  sort: ({ status }) => status,
  text: ({ status, trouble }) => `${stateWords[status].title} ${trouble ? words[trouble.kind] : ""}`,
};

const reason: Column<Instance> = {
  key: "reason",
  header: "Reason",
  cell: reasonOf,
  sort: reasonOf,
  text: reasonOf,
};

/** The reason, as the engine or the service states it. */
function reasonOf({ trouble, failure }: Instance): string {
  return failure?.message ?? trouble?.reason ?? "Unknown";
}

const stalled: readonly Column<Instance>[] = [
  {
    key: "tries",
    header: "Attempts",
    align: "right",
    cell: ({ attempts = 0 }) => formatNumber(attempts),
    sort: ({ attempts = 0 }) => attempts,
  },
  {
    key: "since",
    header: "Requested",
    align: "right",
    cell: ({ trouble }) => <Time at={trouble?.since ?? null} never="–" />,
    sort: ({ trouble }) => trouble?.since ?? null,
  },
  {
    key: "next",
    header: "Next attempt",
    align: "right",
    cell: ({ next_look_at }) => <Time at={next_look_at ?? null} never="–" />,
    sort: ({ next_look_at }) => next_look_at ?? null,
  },
];

const ended: Column<Instance> = {
  key: "ended",
  header: "Ended",
  align: "right",
  cell: ({ terminating_at }) => <Time at={terminating_at} />,
  sort: ({ terminating_at }) => terminating_at,
};

export function NeedsAttentionPage() {
  const nameOf = useAccountNames();
  const troubled = useRead(["instances", "troubled"], (client) =>
    client.GET("/instances", { params: { query: { troubled: true } } }),
  );
  const terminated = useRead(["instances", finalState], (client) =>
    client.GET("/instances", { params: { query: { status: finalState } } }),
  );
  const hosts = useHosts();
  // Each part after the one above it, so that none jumps.
  const hasOperations = troubled.data !== undefined || troubled.error !== null;
  const hasHosts = hasOperations && (hosts.data !== undefined || hosts.error !== null);
  const about = [nameColumn, accountColumn(nameOf), hostColumn];
  return (
    <Page
      title="Needs attention"
      description="Instances with a retried or slow operation, unreachable hosts, critical findings, quarantined GPUs, reservations at risk, and instances that failed."
    >
      <DataTable
        label="Stalled operations"
        columns={[...about, what, reason, ...stalled]}
        rows={troubled.data?.data}
        rowKey={({ id }) => id}
        error={troubled.error}
        onRetry={() => void troubled.refetch()}
        initialSort={{ key: "since", descending: true }}
        empty={
          <EmptyState icon="check" title="No issues">
            No operation is retried or slow.
          </EmptyState>
        }
      />
      {hasOperations && <UnreachableHosts />}
      {hasHosts && <CriticalHosts />}
      {hasHosts && <QuarantinedGpus />}
      {hasHosts && <ReservationsAtRisk />}
      {hasHosts && <FailingEmails />}
      {hasHosts && (
        <Section title="Ended by a failure">
          <DataTable
            label="Ended by a failure"
            columns={[...about, reason, ended]}
            rows={terminated.data?.data.filter(({ failure }) => failure !== null)}
            rowKey={({ id }) => id}
            error={terminated.error}
            onRetry={() => void terminated.refetch()}
            initialSort={{ key: "ended", descending: true }}
            empty={
              <EmptyState icon="check" title="No failures">
                Instances that failed to launch or were lost appear here.
              </EmptyState>
            }
          />
        </Section>
      )}
    </Page>
  );
}
