// The account's tokens: scopes, expiration, last use and spend limit.

import { Badge, Button, Progress } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { keptRole, rightOver } from "../../../src/rules/roles.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { moneyOf } from "../shared/format-money.ts";
import { Icon } from "../shared/icon.tsx";
import { Page } from "../shared/page.tsx";
import { SecretOnce } from "../shared/secret-once.tsx";
import { Time } from "../shared/time.tsx";
import { type Member, useMembers } from "../team/use-people.ts";
import { NewToken } from "./new-token.tsx";
import { SpendLimit } from "./spend-limit.tsx";
import { isOver, tokenState } from "./token-state.ts";
import classes from "./tokens-page.module.css";

export type Token = Shape<"Token">;

type Asking = { readonly what: "new" } | { readonly what: "limit" | "revoke"; readonly token: Token };

export function TokensPage() {
  const { account, person, lack, may } = useSession();
  const read = useRead(["tokens"], (client) => client.GET("/tokens"));
  const members = useMembers().data?.data;
  const cannotCreate = lack("see");
  /** Everyone revokes own tokens; those of owners only owners. */
  const mayRevoke = ({ person_id: id }: Token) => {
    if (id !== null && id === person?.id) return may("see");
    const role = members?.find((member) => member.id === id)?.role;
    return may("tokens") && (role !== keptRole || may(rightOver(keptRole)));
  };
  const [asking, setAsking] = useState<Asking | undefined>();
  const [created, setCreated] = useState<Shape<"MadeToken"> | undefined>();
  const close = () => setAsking(undefined);
  const add = cannotCreate === undefined && (
    <Button onClick={() => setAsking({ what: "new" })} leftSection={<Icon name="plus" />}>
      New token
    </Button>
  );
  return (
    <Page
      title="Tokens"
      description="Tokens for programs and people. Each token is shown only once."
      actions={add || <span className="soft">{cannotCreate}</span>}
    >
      <DataTable
        label="Tokens"
        columns={columnsFor(account.token.id, (id) => ownerOf(id, members))}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        empty={
          <EmptyState icon="token" title="No tokens">
            {add}
          </EmptyState>
        }
        rowActions={(token) =>
          !isOver(token, Date.now()) && (
            <>
              {may("limits") && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  onClick={() => setAsking({ what: "limit", token })}
                >
                  Limit<span className="hidden"> of {token.name}</span>
                </Button>
              )}
              {mayRevoke(token) && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  onClick={() => setAsking({ what: "revoke", token })}
                >
                  Revoke<span className="hidden"> {token.name}</span>
                </Button>
              )}
            </>
          )
        }
      />
      {asking?.what === "new" && <NewToken onClose={close} onCreated={setCreated} />}
      {asking?.what === "limit" && <SpendLimit token={asking.token} onClose={close} />}
      {asking?.what === "revoke" && <Revoke token={asking.token} onClose={close} />}
      {created !== undefined && (
        <SecretOnce
          title={`Token ${created.name}`}
          secret={created.token}
          label="token"
          onClose={() => setCreated(undefined)}
        >
          <p>
            Programs send it as <code>Authorization: Bearer …</code>. It grants its scopes to anyone who has it.
          </p>
        </SecretOnce>
      )}
    </Page>
  );
}

function Revoke({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const { account } = useSession();
  const revoke = useChange<undefined, unknown>(
    (client) => client.DELETE("/tokens/{id}", { params: { path: { id: token.id } } }),
    ["tokens"],
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      word={token.name}
      action="Revoke"
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
      pending={revoke.isPending}
      error={revoke.error}
    >
      <p>
        Requests with it are rejected from now on. This can't be undone. Instances that it launched keep running.
        {token.id === account.token.id && <strong> This session uses it, so you will be signed out.</strong>}
      </p>
    </ConfirmTyped>
  );
}

/** Whose token it is, in words. */
function ownerOf(id: string | null, members: readonly Member[] | undefined): string {
  if (id === null) return "Team";
  return members?.find((member) => member.id === id)?.name ?? (members === undefined ? "" : "Former member");
}

const columnsFor = (ownId: string, ownerIn: (personId: string | null) => string): readonly Column<Token>[] => [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ name, id }) => (
      <>
        {name} {id === ownId && <Badge>This session</Badge>}
      </>
    ),
    sort: ({ name }) => name,
    text: ({ name, id }) => `${name} ${id}`,
  },
  {
    key: "state",
    header: "State",
    whole: true,
    cell: (token) => tokenState(token, Date.now()),
    sort: (token) => tokenState(token, Date.now()),
    text: (token) => tokenState(token, Date.now()),
  },
  {
    key: "owner",
    header: "Belongs to",
    cell: ({ person_id: id }) => (id === null ? <span className="soft">{ownerIn(id)}</span> : ownerIn(id)),
    sort: ({ person_id: id }) => ownerIn(id),
    text: ({ person_id: id }) => ownerIn(id),
  },
  {
    key: "scopes",
    header: "Scopes",
    cell: ({ scopes }) => (
      <span className={classes.scopes}>
        {scopes.map((scope) => (
          <Badge key={scope} color={scope === "operator" ? "amber" : "gray"}>
            {scope}
          </Badge>
        ))}
      </span>
    ),
    text: ({ scopes }) => scopes.join(" "),
  },
  {
    key: "used",
    header: "Last used",
    cell: ({ last_used_at }) => <Time at={last_used_at} />,
    sort: ({ last_used_at }) => last_used_at,
  },
  {
    key: "expires",
    header: "Expires",
    cell: ({ expires_at }) => <Time at={expires_at} />,
    sort: ({ expires_at }) => expires_at,
  },
  {
    key: "spent",
    header: "Spent this month",
    align: "right",
    cell: (token) => <Spent token={token} />,
    sort: ({ spent_this_month_cents }) => (spent_this_month_cents === null ? null : Number(spent_this_month_cents)),
  },
];

function Spent({ token }: { readonly token: Token }) {
  const { spend_limit_cents: limit, spent_this_month_cents: spent } = token;
  if (limit === null || spent === null) return <span className="soft">no limit</span>;
  const share = limit === 0 ? 100 : Math.min(100, (Number(spent) / limit) * 100);
  return (
    <span className={classes.spent}>
      <span>
        {moneyOf(spent)} <span className="soft">of {moneyOf(limit)}</span>
      </span>
      <Progress
        value={share}
        size={4}
        color={share >= 100 ? "red" : share >= 80 ? "amber" : "cobalt"}
        aria-label={`Spent by ${token.name}`}
      />
    </span>
  );
}
