// The deliveries of a webhook and their results, and sending one again.

import { Badge, Button, Modal, SegmentedControl, Skeleton } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { usePages } from "../api/pages-query.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { CopyableBlock } from "../shared/copyable.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorNote, ErrorState } from "../shared/error-state.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Time } from "../shared/time.tsx";
import classes from "./deliveries.module.css";

type Delivery = Shape<"Delivery">;
type Status = Delivery["status"];

const colours: Readonly<Record<Status, string>> = { pending: "cobalt", delivered: "green", failed: "red" };
const choices = ["all", "pending", "delivered", "failed"] as const;

export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const [status, setStatus] = useState<(typeof choices)[number]>("all");
  const [opened, setOpened] = useState<string | undefined>();
  const pages = usePages<Delivery>(["webhooks", webhookId, "deliveries", status], (client, cursor) =>
    client.GET("/webhooks/{id}/deliveries", {
      params: { path: { id: webhookId }, query: { limit: 100, ...cursor, ...(status === "all" ? {} : { status }) } },
    }),
  );
  return (
    <>
      <DataTable
        label="Deliveries"
        columns={columns}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={1000}
        tools={
          <>
            <SegmentedControl
              aria-label="Delivery filter"
              value={status}
              onChange={(value) => setStatus(value)}
              data={choices.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }))}
            />
            {/* A delivery has no event, which would itself be delivered. */}
            <Button variant="default" onClick={pages.again}>
              Refresh
            </Button>
          </>
        }
        rowActions={({ id, event_type }) => (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setOpened(id)}>
            View<span className="hidden"> {event_type}</span>
          </Button>
        )}
        empty={
          <EmptyState icon="send" title="No deliveries">
            Deliveries of the last 30 days appear here.
          </EmptyState>
        }
      />
      {pages.hasMore && (
        <Button variant="default" mt="sm" onClick={pages.readMore} loading={pages.isReadingMore}>
          Load older deliveries
        </Button>
      )}
      {opened !== undefined && <OneDelivery webhookId={webhookId} id={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

const columns: readonly Column<Delivery>[] = [
  {
    key: "type",
    header: "Event",
    primary: true,
    cell: ({ event_type, asked_for }) => (
      <>
        <code>{event_type}</code> {asked_for && <Badge color="gray">manual</Badge>}
      </>
    ),
    sort: ({ event_type }) => event_type,
    text: ({ event_type, event_id, id }) => `${event_type} ${event_id} ${id}`,
  },
  {
    key: "status",
    header: "State",
    cell: ({ status }) => <Badge color={colours[status]}>{status}</Badge>,
    sort: ({ status }) => status,
  },
  {
    key: "attempts",
    header: "Attempts",
    align: "right",
    cell: ({ attempts }) => formatNumber(attempts),
    sort: ({ attempts }) => attempts,
  },
  {
    key: "next",
    header: "Next attempt",
    cell: ({ next_attempt_at }) => <Time at={next_attempt_at} never="–" />,
    sort: ({ next_attempt_at }) => next_attempt_at,
  },
  {
    key: "created",
    header: "Since",
    cell: ({ created_at }) => <Time at={created_at} />,
    sort: ({ created_at }) => created_at,
  },
];

interface OneDeliveryProps {
  readonly webhookId: string;
  readonly id: string;
  readonly onClose: () => void;
}

function OneDelivery({ webhookId, id, onClose }: OneDeliveryProps) {
  const { may } = useSession();
  const params = { path: { id: webhookId, delivery_id: id } };
  const read = useRead(["webhooks", webhookId, "delivery", id], (client) =>
    client.GET("/webhooks/{id}/deliveries/{delivery_id}", { params }),
  );
  const resend = useChange(
    (client, _input: undefined) => client.POST("/webhooks/{id}/deliveries/{delivery_id}/resend", { params }),
    ["webhooks"],
  );
  const delivery = read.data?.data;
  return (
    <Modal opened onClose={onClose} title="Delivery" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      {delivery === undefined && read.error !== null && <ErrorState error={read.error} />}
      {delivery === undefined && read.error === null && <Skeleton height={300} />}
      {delivery !== undefined && (
        <div className={classes.stack}>
          <div className={classes.line}>
            <Badge color={colours[delivery.status]}>{delivery.status}</Badge>
            <code>{delivery.event_type}</code>
            {may("tokens") && (
              <Button
                size="xs"
                variant="default"
                ml="auto"
                loading={resend.isPending}
                onClick={() => resend.mutate(undefined, { onSuccess: onClose })}
              >
                Resend
              </Button>
            )}
          </div>
          <ErrorNote error={resend.error} />
          <h3 className={classes.heading}>Attempts</h3>
          {delivery.log.length === 0 && <p className="soft">No attempts yet.</p>}
          <ol className={classes.log}>
            {delivery.log.map((attempt) => (
              <li key={attempt.at}>
                <span>
                  <Time at={attempt.at} />
                </span>
                <span>
                  {attempt.status_code ?? "no response"}
                  {attempt.error !== null && `, ${attempt.error.replaceAll("_", " ")}`}
                </span>
                <span className="soft">{formatNumber(attempt.milliseconds)} ms</span>
                {attempt.answer !== "" && <code className={classes.answer}>{attempt.answer}</code>}
              </li>
            ))}
          </ol>
          <h3 className={classes.heading}>Body</h3>
          <CopyableBlock value={pretty(delivery.body)} label="body" />
        </div>
      )}
    </Modal>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
