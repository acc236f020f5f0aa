// The replicas that share this database, and their encryption keys.

import { Badge } from "@mantine/core";
import type { Shape } from "../../../../src/client/client.ts";
import { useRead } from "../../api/queries.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Page, Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { EncryptionKeys } from "./encryption-keys.tsx";

type Replica = Shape<"Replica">;

const columns: readonly Column<Replica>[] = [
  {
    key: "host",
    header: "Hostname",
    primary: true,
    cell: ({ host }) => host,
    sort: ({ host }) => host,
    text: ({ host }) => host,
  },
  { key: "pid", header: "Process", cell: ({ pid }) => pid, sort: ({ pid }) => pid },
  {
    key: "version",
    header: "Version",
    cell: ({ version }) => version,
    sort: ({ version }) => version,
    text: ({ version }) => version,
  },
  {
    key: "started",
    header: "Started",
    cell: ({ started_at }) => <Time at={started_at} />,
    sort: ({ started_at }) => Date.parse(started_at),
  },
  {
    key: "seen",
    header: "Last seen",
    cell: ({ seen_at }) => <Time at={seen_at} />,
    sort: ({ seen_at }) => Date.parse(seen_at),
  },
  {
    key: "keys",
    header: "Keys",
    cell: ({ key_ids, current_key_id }) => (
      <div>
        {key_ids.map((id) => (
          <span key={id} style={{ marginRight: 8, whiteSpace: "nowrap" }}>
            <code>{id}</code> {id === current_key_id && <Badge size="sm">encrypts</Badge>}
          </span>
        ))}
      </div>
    ),
  },
];

export function ReplicasPage() {
  const read = useRead(["replicas"], (client) => client.GET("/replicas"));
  return (
    <Page title="Replicas" description="The running processes of this service, and its encryption keys.">
      <DataTable
        label="Replicas"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        filter={false}
        empty={
          <EmptyState icon="engine" title="No replicas">
            Each replica sends a heartbeat every few seconds.
          </EmptyState>
        }
      />
      {/* After the table above, so that it does not jump. */}
      {(read.data !== undefined || read.error !== null) && (
        <Section title="Encryption keys">
          <EncryptionKeys />
        </Section>
      )}
    </Page>
  );
}
