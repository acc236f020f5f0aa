// The encryption keys by their ids: how many values each encrypts, rotation, and removal. No key is ever shown.

import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";

type Encryption = Shape<"Encryption">;
type Key = Encryption["keys"][number];

const columns: readonly Column<Key>[] = [
  {
    key: "id",
    header: "Key",
    primary: true,
    cell: ({ id, current }) => (
      <div>
        <code>{id}</code> {current && <Badge size="sm">encrypts</Badge>}
      </div>
    ),
    sort: ({ id }) => id,
  },
  {
    key: "known",
    header: "Status",
    cell: ({ known }) => (known ? <Badge color="green">Known</Badge> : <Badge color="red">Missing</Badge>),
    sort: ({ known }) => Number(known),
  },
  {
    key: "values",
    header: "Encrypted values",
    align: "right",
    cell: ({ values }) => formatNumber(values),
    sort: ({ values }) => values,
  },
  {
    key: "kinds",
    header: "Contents",
    cell: ({ kinds }) =>
      Object.entries(kinds)
        .map(([kind, count]) => `${kind} (${formatNumber(count)})`)
        .join(", ") || <span className="soft">nothing</span>,
  },
];

export function EncryptionKeys() {
  const missing = useSession().lack("fleet", "operator");
  const read = useRead(["encryption"], (client) => client.GET("/encryption"));
  const [asked, setAsked] = useState<"rotate" | Key | null>(null);
  const rotation = read.data?.data.rotation ?? null;
  return (
    <div>
      <DataTable
        label="Encryption keys"
        columns={columns}
        rows={read.data?.data.keys}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        filter={false}
        tools={
          <Permitted to="rotate keys" missing={missing}>
            <Button variant="default" onClick={() => setAsked("rotate")} disabled={rotation?.state === "running"}>
              Rotate
            </Button>
          </Permitted>
        }
        empty={null}
        rowActions={(key) =>
          missing === undefined &&
          !key.current &&
          key.values === 0 && (
            <Button
              variant="subtle"
              color="red"
              size="xs"
              onClick={() => setAsked(key)}
              aria-label={`Retire ${key.id}`}
            >
              Retire
            </Button>
          )
        }
      />
      {rotation !== null && <RotationNote rotation={rotation} />}
      {asked === "rotate" && <Rotate onClose={() => setAsked(null)} />}
      {asked !== null && asked !== "rotate" && <Retire id={asked.id} onClose={() => setAsked(null)} />}
    </div>
  );
}

function RotationNote({ rotation }: { readonly rotation: NonNullable<Encryption["rotation"]> }) {
  const { state, resealed, asked_at, problem } = rotation;
  return (
    <p className="soft">
      {state === "running"
        ? "A rotation is in progress"
        : state === "done"
          ? "The last rotation is complete"
          : "The last rotation is incomplete"}
      , requested <Time at={asked_at} />: {formatNumber(resealed)} values re-encrypted. {problem}
    </p>
  );
}

function Rotate({ onClose }: { readonly onClose: () => void }) {
  const rotate = useChange((client) => client.POST("/encryption/rotate", { body: {} }), ["encryption", "replicas"]);
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title="Rotate the encryption key?"
      action="Rotate"
      onConfirm={() => rotate.mutate(undefined, { onSuccess: onClose })}
      pending={rotate.isPending}
      error={rotate.error}
    >
      Re-encrypts all secrets: with a new key if this is the only replica and its keys are in a file, otherwise with its
      first key. The service stays available. Earlier backups still need the old key.
    </ConfirmTyped>
  );
}

function Retire({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const retire = useChange(
    (client) => client.POST("/encryption/retire", { body: { key_id: id } }),
    ["encryption", "replicas"],
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Retire ${id}?`}
      word={id}
      action="Retire"
      onConfirm={() => retire.mutate(undefined, { onSuccess: onClose })}
      pending={retire.isPending}
      error={retire.error}
    >
      Removes the key from the key file of the replica that responds. Backups from before the rotation still need it:
      keep a copy with them.
    </ConfirmTyped>
  );
}
