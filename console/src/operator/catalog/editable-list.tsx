// A list of objects with a name as their key, to create, change and delete: the three lists of the catalog.

import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Answered, LessorClient } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { Permitted } from "../../shared/permitted.tsx";

interface Named {
  readonly name: string;
}

interface EditableListProps<Thing extends Named> {
  readonly label: string;
  /** "instance type". */
  readonly one: string;
  readonly columns: readonly Column<Thing>[];
  readonly read: {
    readonly data: { readonly data: readonly Thing[] } | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly empty: ReactNode;
  /** The form; null: of a new one. */
  readonly form: (thing: Thing | null, close: () => void) => ReactNode;
  readonly remove: (client: LessorClient, name: string) => Promise<Answered<unknown>>;
  /** The reads that a deletion invalidates. */
  readonly subjects: readonly string[];
  /** The effect of a deletion. */
  readonly lost: string;
}

export function EditableList<Thing extends Named>(props: EditableListProps<Thing>) {
  const { label, one, columns, read, empty, form } = props;
  const missing = useSession().lack("fleet", "operator");
  const [edited, setEdited] = useState<Thing | "new" | null>(null);
  const [deleted, setDeleted] = useState<string | null>(null);
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        rows={read.data?.data}
        rowKey={({ name }) => name}
        error={read.error}
        onRetry={() => void read.refetch()}
        empty={empty}
        tools={
          <Permitted to={`change ${label.toLowerCase()}`} missing={missing}>
            <Button onClick={() => setEdited("new")}>New {one}</Button>
          </Permitted>
        }
        rowActions={
          missing === undefined
            ? (thing) => (
                <>
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => setEdited(thing)}
                    aria-label={`Change ${thing.name}`}
                  >
                    Change
                  </Button>
                  <Button
                    variant="subtle"
                    color="red"
                    size="xs"
                    onClick={() => setDeleted(thing.name)}
                    aria-label={`Delete ${thing.name}`}
                  >
                    Delete
                  </Button>
                </>
              )
            : undefined
        }
      />
      {edited !== null && form(edited === "new" ? null : edited, () => setEdited(null))}
      {deleted !== null && <Removal {...props} name={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

interface RemovalProps extends Pick<EditableListProps<Named>, "remove" | "subjects" | "lost"> {
  readonly name: string;
  readonly onClose: () => void;
}

function Removal({ name, remove, subjects, lost, onClose }: RemovalProps) {
  const removal = useChange((client) => remove(client, name), subjects);
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Delete ${name}?`}
      word={name}
      action="Delete"
      onConfirm={() => removal.mutate(undefined, { onSuccess: onClose })}
      pending={removal.isPending}
      error={removal.error}
    >
      {lost}
    </ConfirmTyped>
  );
}
