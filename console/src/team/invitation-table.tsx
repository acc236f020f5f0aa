// The open invitations of the own team: replace one, which shows a new secret, or revoke it.

import { Button } from "@mantine/core";
import { useState } from "react";
import { rightOver } from "../../../src/rules/roles.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Time } from "../shared/time.tsx";
import type { Invite, MadeInvitation } from "./invite-dialog.tsx";
import { roleTitle } from "./role-words.ts";
import { type Invitation, peopleSubjects } from "./use-people.ts";

interface InvitationTableProps {
  readonly ask: Invite;
  readonly onMade: (made: MadeInvitation) => void;
}

interface Asked {
  readonly what: "replace" | "revoke";
  readonly invitation: Invitation;
}

export function InvitationTable({ ask, onMade }: InvitationTableProps) {
  const { may } = useSession();
  const read = useRead(["invitations"], (client) => client.GET("/invitations"));
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  return (
    <>
      <DataTable
        label="Open invitations"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        filter={false}
        empty={
          <EmptyState icon="send" title="No open invitations">
            Invitations are here until they are accepted, expire or are revoked.
          </EmptyState>
        }
        rowActions={(invitation) =>
          may(rightOver(invitation.role)) && (
            <>
              <Button
                variant="default"
                size="xs"
                aria-label={`Replace the invitation of ${invitation.email}`}
                onClick={() => setAsked({ what: "replace", invitation })}
              >
                Replace
              </Button>
              <Button
                variant="subtle"
                color="red"
                size="xs"
                aria-label={`Revoke the invitation of ${invitation.email}`}
                onClick={() => setAsked({ what: "revoke", invitation })}
              >
                Revoke
              </Button>
            </>
          )
        }
      />
      {asked?.what === "replace" && <Replace {...asked} ask={ask} onMade={onMade} onClose={close} />}
      {asked?.what === "revoke" && <Revoke {...asked} onClose={close} />}
    </>
  );
}

const columns: readonly Column<Invitation>[] = [
  { key: "email", header: "Email", primary: true, cell: ({ email }) => email, sort: ({ email }) => email },
  { key: "role", header: "Role", whole: true, cell: ({ role }) => roleTitle(role), sort: ({ role }) => role },
  {
    key: "created",
    header: "Invited",
    whole: true,
    cell: ({ created_at: at }) => <Time at={at} />,
    sort: ({ created_at: at }) => at,
  },
  {
    key: "expires",
    header: "Expires",
    whole: true,
    cell: ({ expires_at: at }) => <Time at={at} />,
    sort: ({ expires_at: at }) => at,
  },
];

interface DialogProps {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

function Replace({ invitation, ask, onMade, onClose }: DialogProps & InvitationTableProps) {
  const { email, role } = invitation;
  const replace = useChange((client, _input: undefined) => ask(client, { email, role }), peopleSubjects);
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Replace the invitation of ${email}?`}
      action="Replace"
      onConfirm={() =>
        replace.mutate(undefined, {
          onSuccess: ({ data }) => {
            onMade(data);
            onClose();
          },
        })
      }
      pending={replace.isPending}
      error={replace.error}
    >
      <p>The earlier secret can no longer be accepted. You get a new one for the same role.</p>
    </ConfirmTyped>
  );
}

function Revoke({ invitation: { id, email }, onClose }: DialogProps) {
  const revoke = useChange<undefined, unknown>(
    (client) => client.DELETE("/invitations/{id}", { params: { path: { id } } }),
    peopleSubjects,
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Revoke the invitation of ${email}?`}
      action="Revoke"
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
      pending={revoke.isPending}
      error={revoke.error}
    >
      <p>Its secret can no longer be accepted.</p>
    </ConfirmTyped>
  );
}
