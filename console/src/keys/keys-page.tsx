// The account's SSH keys.

import { Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { Copyable } from "../shared/copyable.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Icon } from "../shared/icon.tsx";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { NewKey } from "./new-key.tsx";
import { useKeys } from "./use-keys.ts";

type SshKey = Shape<"SshKey">;

export function KeysPage() {
  const { may } = useSession();
  const read = useKeys();
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<SshKey | undefined>();
  const add = may("rent") && (
    <Button onClick={() => setAdding(true)} leftSection={<Icon name="plus" />}>
      New SSH key
    </Button>
  );
  return (
    <Page
      title="SSH keys"
      description="Choose them when you launch an instance. The private key lets you log in to it."
      actions={add}
    >
      <DataTable
        label="SSH keys"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "name", descending: false }}
        rowActions={
          may("rent")
            ? (key) => (
                <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDeleting(key)}>
                  Delete<span className="hidden"> {key.name}</span>
                </Button>
              )
            : undefined
        }
        empty={
          <EmptyState icon="key" title="No SSH keys">
            Add your public key, or generate a pair.
            {add}
          </EmptyState>
        }
      />
      {adding && <NewKey onClose={() => setAdding(false)} />}
      {deleting !== undefined && <Delete sshKey={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

function Delete({ sshKey, onClose }: { readonly sshKey: SshKey; readonly onClose: () => void }) {
  const remove = useChange<undefined, unknown>(
    (client) => client.DELETE("/ssh-keys/{id}", { params: { path: { id: sshKey.id } } }),
    ["ssh-keys", "account"],
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Delete ${sshKey.name}?`}
      action="Delete"
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>New instances can no longer use it. Existing instances keep it.</p>
    </ConfirmTyped>
  );
}

const columns: readonly Column<SshKey>[] = [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ name }) => name,
    sort: ({ name }) => name,
    text: ({ name, id }) => `${name} ${id}`,
  },
  {
    key: "type",
    header: "Type",
    cell: ({ public_key }) => <code>{public_key.split(" ")[0]}</code>,
    sort: ({ public_key }) => public_key.split(" ")[0] ?? "",
    text: ({ public_key }) => public_key,
  },
  {
    key: "key",
    header: "Public key",
    cell: ({ public_key }) => (
      <Copyable value={public_key} shown={`…${public_key.split(" ")[1]?.slice(-16) ?? ""}`} label="public key" />
    ),
  },
  {
    key: "created",
    header: "Added",
    cell: ({ created_at }) => <Time at={created_at} />,
    sort: ({ created_at }) => created_at,
  },
];
