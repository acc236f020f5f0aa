// Work that does not go as it should: machines whose launch, stop or end is tried again or slow, with the reason; and those
// that a failure has ended.

import type { Shape } from "../../../../src/client/index.ts";
import { useRead } from "../../api/queries.ts";
import { states } from "../../machines/machine-state.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Page, Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { useAccountNames } from "../account-name.tsx";
import { accountColumn, hostColumn, nameColumn } from "../machines/machine-columns.tsx";
import classes from "../words.module.css";

type Machine = Shape<"Instance">;

const words: Readonly<Record<NonNullable<Machine["trouble"]>["kind"], string>> = {
  "tried-again": "Tried again",
  slow: "Slow",
};

const what: Column<Machine> = {
  key: "what",
  header: "What",
  cell: ({ status, trouble }) => (
    <div className={classes.whole}>
      {states[status].title}
      <div className="soft">{trouble && words[trouble.kind]}</div>
    </div>
  ),
  sort: ({ status }) => status,
  text: ({ status, trouble }) => `${states[status].title} ${trouble ? words[trouble.kind] : ""}`,
};

const reason: Column<Machine> = {
  key: "reason",
  header: "Reason",
  cell: reasonOf,
  sort: reasonOf,
  text: reasonOf,
};

/** What is known of why, in the words of whoever knows. */
function reasonOf({ trouble, failure }: Machine): string {
  return failure?.message ?? trouble?.reason ?? "Not known yet";
}

const underWay: readonly Column<Machine>[] = [
  {
    key: "tries",
    header: "Tries",
    align: "right",
    cell: ({ attempts = 0 }) => formatNumber(attempts),
    sort: ({ attempts = 0 }) => attempts,
  },
  {
    key: "since",
    header: "Wished",
    align: "right",
    cell: ({ trouble }) => <Time at={trouble?.since ?? null} never="–" />,
    sort: ({ trouble }) => trouble?.since ?? null,
  },
  {
    key: "next",
    header: "Next try",
    align: "right",
    cell: ({ next_look_at }) => <Time at={next_look_at ?? null} never="–" />,
    sort: ({ next_look_at }) => next_look_at ?? null,
  },
];

const ended: Column<Machine> = {
  key: "ended",
  header: "Ended",
  align: "right",
  cell: ({ terminating_at }) => <Time at={terminating_at} />,
  sort: ({ terminating_at }) => terminating_at,
};

export function TroublePage() {
  const nameOf = useAccountNames();
  const troubled = useRead(["instances", "troubled"], (client) =>
    client.GET("/instances", { params: { query: { troubled: true } } }),
  );
  const terminated = useRead(["instances", "terminated"], (client) =>
    client.GET("/instances", { params: { query: { status: "terminated" } } }),
  );
  const about = [nameColumn, accountColumn(nameOf), hostColumn];
  return (
    <Page
      title="Trouble"
      description="Machines whose work is tried again or takes long, and those that a failure has ended."
    >
      <DataTable
        label="Work under way"
        columns={[...about, what, reason, ...underWay]}
        rows={troubled.data?.data}
        rowKey={({ id }) => id}
        error={troubled.error}
        onRetry={() => void troubled.refetch()}
        empty={
          <EmptyState icon="check" title="All is well">
            Nothing is tried again, nothing takes longer than it should.
          </EmptyState>
        }
      />
      {/* Not before the height of the table above is known, so that it does not jump. */}
      {(troubled.data !== undefined || troubled.error !== null) && (
        <Section title="Ended by a failure">
          <DataTable
            label="Ended by a failure"
            columns={[...about, reason, ended]}
            rows={terminated.data?.data.filter(({ ended_by }) => ended_by === "failure")}
            rowKey={({ id }) => id}
            error={terminated.error}
            onRetry={() => void terminated.refetch()}
            initialSort={{ key: "ended", descending: true }}
            empty={
              <EmptyState icon="check" title="No failures">
                Machines that could not be brought up, or were lost, are listed here with the reason.
              </EmptyState>
            }
          />
        </Section>
      )}
    </Page>
  );
}
