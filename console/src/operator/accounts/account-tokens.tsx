// The tokens of an account, for operators: create and revoke. A token is shown once, when it is created.

import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Money } from "../../shared/money.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";
import { AccountTokenDialog } from "./account-token-dialog.tsx";

type Token = Shape<"Token">;

const columns: readonly Column<Token>[] = [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ name }) => name,
    sort: ({ name }) => name,
    text: ({ name }) => name,
  },
  { key: "scopes", header: "Scopes", cell: ({ scopes }) => scopes.join(", "), text: ({ scopes }) => scopes.join(" ") },
  {
    key: "state",
    header: "State",
    cell: (token) => <Badge color={stateOf(token) === "Valid" ? "green" : "gray"}>{stateOf(token)}</Badge>,
    sort: (token) => stateOf(token),
    text: stateOf,
  },
  {
    key: "expires",
    header: "Expires",
    cell: ({ expires_at }) => <Time at={expires_at} />,
    sort: ({ expires_at }) => expires_at,
  },
  {
    key: "used",
    header: "Last used",
    cell: ({ last_used_at }) => <Time at={last_used_at} />,
    sort: ({ last_used_at }) => last_used_at,
  },
  {
    key: "limit",
    header: "Spend limit",
    align: "right",
    cell: ({ spend_limit_cents }) =>
      spend_limit_cents === null ? <span className="soft">none</span> : <Money cents={spend_limit_cents} />,
    sort: ({ spend_limit_cents }) => spend_limit_cents,
  },
];

export function AccountTokens({ accountId }: { readonly accountId: string }) {
  const read = useRead(["tokens", accountId], (client) =>
    client.GET("/accounts/{id}/tokens", { params: { path: { id: accountId } } }),
  );
  const { lack } = useSession();
  const missing = lack("tokens", "operator");
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<Token | null>(null);
  return (
    <>
      <DataTable
        label="Tokens of this account"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        tools={
          <Permitted to="create tokens" missing={missing}>
            <Button variant="default" onClick={() => setNew(true)}>
              New token
            </Button>
          </Permitted>
        }
        empty={
          <EmptyState icon="token" title="No tokens">
            Create a token so that the account can make requests.
          </EmptyState>
        }
        rowActions={(token) =>
          missing === undefined &&
          token.revoked_at === null && (
            <Button
              variant="subtle"
              color="red"
              size="xs"
              onClick={() => setRevoked(token)}
              aria-label={`Revoke ${token.name}`}
            >
              Revoke
            </Button>
          )
        }
      />
      {isNew && <AccountTokenDialog accountId={accountId} onClose={() => setNew(false)} />}
      {revoked !== null && <Revoke accountId={accountId} token={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}

interface RevokeProps {
  readonly accountId: string;
  readonly token: Token;
  readonly onClose: () => void;
}

function Revoke({ accountId, token, onClose }: RevokeProps) {
  const revoke = useChange(
    (client) =>
      client.DELETE("/accounts/{id}/tokens/{token_id}", { params: { path: { id: accountId, token_id: token.id } } }),
    ["tokens"],
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      action="Revoke"
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
      pending={revoke.isPending}
      error={revoke.error}
    >
      The token is revoked immediately. Instances that were launched with it keep running.
    </ConfirmTyped>
  );
}

function stateOf({ revoked_at, expires_at }: Token): string {
  if (revoked_at !== null) return "Revoked";
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? "Expired" : "Valid";
}
