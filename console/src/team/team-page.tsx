// The team: its people with their roles, open invitations, and what each role may do.

import { Button } from "@mantine/core";
import { useState } from "react";
import { keptRole, rightOver } from "../../../src/rules/roles.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import type { Column } from "../shared/data-table.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { Page, Section } from "../shared/page.tsx";
import { Permitted } from "../shared/permitted.tsx";
import { isOver } from "../tokens/token-state.ts";
import { InvitationSecret } from "./invitation-secret.tsx";
import { InvitationTable } from "./invitation-table.tsx";
import { type Invite, InviteDialog, type MadeInvitation } from "./invite-dialog.tsx";
import { ChangeRole, RemoveMember } from "./member-dialogs.tsx";
import { MemberTable } from "./member-table.tsx";
import { RoleTable } from "./role-table.tsx";
import { roleTitle } from "./role-words.ts";
import { type Member, useMembers } from "./use-people.ts";

const invite: Invite = (client, body) => client.POST("/invitations", { body });

type Asked = { readonly what: "invite" } | { readonly what: "role" | "remove"; readonly member: Member };

export function TeamPage() {
  const { account, person, lack, may } = useSession();
  const read = useMembers();
  const members = read.data?.data;
  const [asked, setAsked] = useState<Asked>();
  const [made, setMade] = useState<MadeInvitation>();
  const close = () => setAsked(undefined);
  const cannotInvite = lack("members");
  const owners = members?.filter(({ role }) => role === keptRole).length ?? 0;
  const isLastOwner = ({ role }: Member) => role === keptRole && owners < 2;
  return (
    <Page
      title="Team"
      description={
        person === null
          ? `People of ${account.name}. Your token belongs to the team itself.`
          : `People of ${account.name}. Your role is ${roleTitle(person.role)}.`
      }
      actions={
        <Permitted to="invite people" missing={cannotInvite}>
          <Button leftSection={<Icon name="plus" />} onClick={() => setAsked({ what: "invite" })}>
            Invite person
          </Button>
        </Permitted>
      }
    >
      <MemberTable
        label="People"
        rows={members}
        error={read.error}
        onRetry={() => void read.refetch()}
        ownId={person?.id}
        more={[useTokenColumn()]}
        empty="Only tokens of the team itself are used. Invite the people who work with it."
        rowActions={(member) =>
          isLastOwner(member) ? (
            <span className="soft">Last owner</span>
          ) : (
            <>
              {may(rightOver(member.role)) && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Change role of ${member.name}`}
                  onClick={() => setAsked({ what: "role", member })}
                >
                  Change role
                </Button>
              )}
              {(member.id === person?.id ? may("see") : may(rightOver(member.role))) && (
                <Button
                  variant="subtle"
                  color="red"
                  size="xs"
                  aria-label={member.id === person?.id ? "Leave the team" : `Remove ${member.name}`}
                  onClick={() => setAsked({ what: "remove", member })}
                >
                  {member.id === person?.id ? "Leave" : "Remove"}
                </Button>
              )}
            </>
          )
        }
      />
      {may("members", "read") && (
        <Section title="Open invitations">
          <InvitationTable ask={invite} onMade={setMade} />
        </Section>
      )}
      <Section title="What each role may do">
        <RoleTable />
      </Section>
      {asked?.what === "invite" && (
        <InviteDialog title="Invite person" initialRole="member" ask={invite} onClose={close} onMade={setMade} />
      )}
      {asked?.what === "role" && <ChangeRole member={asked.member} onClose={close} />}
      {asked?.what === "remove" && <RemoveMember member={asked.member} onClose={close} />}
      {made !== undefined && <InvitationSecret made={made} onClose={() => setMade(undefined)} />}
    </Page>
  );
}

/** How many tokens of each person are valid. */
function useTokenColumn(): Column<Member> {
  const tokens = useRead(["tokens"], (client) => client.GET("/tokens")).data?.data;
  const now = Date.now();
  const countOf = (id: string) => tokens?.filter((token) => token.person_id === id && !isOver(token, now)).length;
  return {
    key: "tokens",
    header: "Valid tokens",
    align: "right",
    cell: ({ id }) => formatNumber(countOf(id) ?? 0),
    sort: ({ id }) => countOf(id) ?? 0,
  };
}
