// File systems, which keep data beyond the life of an instance, and the instances that use them.

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { useInstances } from "../instances/use-instances.ts";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { NewFileSystem } from "./new-file-system.tsx";

type FileSystem = Shape<"FileSystem">;

export function FileSystemsPage() {
  const { may } = useSession();
  const read = useRead(["file-systems"], (client) => client.GET("/file-systems"));
  const instances = useInstances().data?.data ?? [];
  const nameOf = (id: string) => instances.find((instance) => instance.id === id)?.name ?? id.slice(0, 8);
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<FileSystem | undefined>();
  const add = may("rent") && (
    <Button onClick={() => setAdding(true)} leftSection={<Icon name="plus" />}>
      New file system
    </Button>
  );
  return (
    <Page
      title="File systems"
      description="Data on a file system outlives the instances that use it. Instances in its region can attach it; several at once if its storage allows it."
      actions={add}
    >
      <DataTable
        label="File systems"
        columns={columnsWith(nameOf)}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "name", descending: false }}
        rowActions={
          may("rent")
            ? (fileSystem) =>
                fileSystem.attached_to === null && (
                  <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDeleting(fileSystem)}>
                    Delete<span className="hidden"> {fileSystem.name}</span>
                  </Button>
                )
            : undefined
        }
        empty={
          <EmptyState icon="disk" title="No file systems">
            Create one to keep models and data between instances. You choose it when you launch an instance.
            {add}
          </EmptyState>
        }
      />
      {adding && <NewFileSystem onClose={() => setAdding(false)} />}
      {deleting !== undefined && <Delete fileSystem={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

function Delete({ fileSystem, onClose }: { readonly fileSystem: FileSystem; readonly onClose: () => void }) {
  const remove = useChange<undefined, unknown>(
    (client) => client.DELETE("/file-systems/{id}", { params: { path: { id: fileSystem.id } } }),
    ["file-systems", "account"],
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Delete ${fileSystem.name}?`}
      word={fileSystem.name}
      action="Delete"
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>
        <strong>All data on it is deleted</strong>: {formatNumber(fileSystem.size_gb)} GB in {fileSystem.region}. This
        can't be undone.
      </p>
    </ConfirmTyped>
  );
}

function gigabytes(bytes: number): string {
  return `${formatNumber(bytes / 1e9, 1)} GB`;
}

const columnsWith = (nameOf: (id: string) => string): readonly Column<FileSystem>[] => [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ name, lost_at: lostAt, blocked }) => (
      <>
        {name}
        {lostAt !== null && <span className="soft"> lost with its host</span>}
        {blocked && <span className="soft"> may still be in use on a lost host</span>}
      </>
    ),
    sort: ({ name }) => name,
    text: ({ name, id }) => `${name} ${id}`,
  },
  {
    key: "region",
    header: "Region",
    cell: ({ region }) => region,
    sort: ({ region }) => region,
    text: ({ region }) => region,
  },
  {
    key: "size",
    header: "Size",
    align: "right",
    cell: ({ size_gb }) => `${formatNumber(size_gb)} GB`,
    sort: ({ size_gb }) => size_gb,
  },
  {
    key: "used",
    header: "Used",
    align: "right",
    cell: ({ bytes_used: bytes }) => (bytes === null ? <span className="soft">–</span> : gigabytes(bytes)),
    sort: ({ bytes_used }) => bytes_used,
  },
  {
    key: "attached",
    header: "Attached to",
    cell: ({ instance_ids: [first, ...others] }) =>
      first === undefined ? (
        <span className="soft">–</span>
      ) : (
        <>
          <Link href={`/instances/${first}`}>{nameOf(first)}</Link>
          {others.length > 0 && <span className="soft"> and {others.length} more</span>}
        </>
      ),
    sort: ({ attached_to: id }) => (id === null ? null : nameOf(id)),
    text: ({ instance_ids: ids }) => ids.map(nameOf).join(" "),
  },
  {
    key: "created",
    header: "Created",
    cell: ({ created_at }) => <Time at={created_at} />,
    sort: ({ created_at }) => created_at,
  },
];
