// The people of an account, for operators, who invite its first owner. Roles are changed by the team itself.

import { Button } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { InvitationSecret } from "../../team/invitation-secret.tsx";
import { InviteDialog, type MadeInvitation } from "../../team/invite-dialog.tsx";
import { MemberTable } from "../../team/member-table.tsx";

export function AccountPeople({ accountId }: { readonly accountId: string }) {
  const { lack } = useSession();
  const params = { path: { id: accountId } };
  const read = useRead(["members", accountId], (client) => client.GET("/accounts/{id}/members", { params }));
  const [isInviting, setInviting] = useState(false);
  const [made, setMade] = useState<MadeInvitation>();
  const missing = lack("members", "operator");
  return (
    <>
      <MemberTable
        label="People of this account"
        rows={read.data?.data}
        error={read.error}
        onRetry={() => void read.refetch()}
        tools={
          <Permitted to="invite people" missing={missing}>
            <Button variant="default" onClick={() => setInviting(true)}>
              Invite person
            </Button>
          </Permitted>
        }
        empty="Invite the first owner, who invites the others."
      />
      {isInviting && (
        <InviteDialog
          title="Invite person"
          initialRole={read.data?.data.length === 0 ? "owner" : "member"}
          scope="operator"
          ask={(client, body) => client.POST("/accounts/{id}/invitations", { params, body })}
          onClose={() => setInviting(false)}
          onMade={setMade}
        />
      )}
      {made !== undefined && <InvitationSecret made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}
