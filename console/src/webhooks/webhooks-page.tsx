// Webhooks: where events are sent, and whether they arrive.

import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

type Webhook = Shape<"Webhook">;

export function WebhooksPage() {
  const { may } = useSession();
  const read = useRead(["webhooks"], (client) => client.GET("/webhooks"));
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | undefined>();
  const add = may("tokens") && (
    <Button onClick={() => setAdding(true)} leftSection={<Icon name="plus" />}>
      New webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      description="Signed events for your own programs. Failed deliveries are retried."
      actions={add}
    >
      <DataTable
        label="Webhooks"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        empty={
          <EmptyState icon="webhook" title="No webhooks">
            Create one to notify your own program of events as they happen.
            {add}
          </EmptyState>
        }
      />
      {adding && <WebhookForm onClose={() => setAdding(false)} onCreated={(created) => setSecret(created.secret)} />}
      {secret !== undefined && <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  );
}

/** Whether events arrive. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  if (webhook.disabled_reason !== null) {
    return (
      <Badge color="red">{webhook.disabled_reason === "gone" ? "Disabled: target gone" : "Disabled: failing"}</Badge>
    );
  }
  if (!webhook.active) return <Badge color="gray">Disabled</Badge>;
  if (webhook.failing_since !== null) return <Badge color="amber">Failing</Badge>;
  return <Badge color="green">Enabled</Badge>;
}

const columns: readonly Column<Webhook>[] = [
  {
    key: "url",
    header: "URL",
    primary: true,
    cell: ({ id, url }) => <Link href={`/webhooks/${id}`}>{url}</Link>,
    sort: ({ url }) => url,
    text: ({ url, id }) => `${url} ${id}`,
  },
  {
    key: "description",
    header: "Description",
    cell: ({ description }) => description,
    sort: ({ description }) => description,
    text: ({ description }) => description,
  },
  {
    key: "events",
    header: "Events",
    cell: ({ event_types }) => (event_types.length === 0 ? "all" : event_types.join(", ")),
    text: ({ event_types }) => event_types.join(" "),
  },
  {
    key: "state",
    header: "State",
    cell: (webhook) => <WebhookState webhook={webhook} />,
    sort: ({ active, failing_since }) => `${active} ${failing_since !== null}`,
  },
  {
    key: "pending",
    header: "Pending",
    align: "right",
    cell: ({ pending_deliveries }) => formatNumber(pending_deliveries),
    sort: ({ pending_deliveries }) => pending_deliveries,
  },
  {
    key: "created",
    header: "Created",
    cell: ({ created_at }) => <Time at={created_at} />,
    sort: ({ created_at }) => created_at,
  },
];
