// The form that invites a person to a team. Used by the page of the team, and by the operators' page of an account.

import { TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import type { Answered, LessorClient, Shape } from "../../../src/client/client.ts";
import type { TeamRole } from "../../../src/rules/roles.ts";
import { useChange } from "../api/queries.ts";
import type { Scope } from "../api/rights.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { RoleSelect } from "./role-select.tsx";
import { peopleSubjects } from "./use-people.ts";

export type MadeInvitation = Shape<"MadeInvitation">;

export interface InvitationOrder {
  readonly email: string;
  readonly role: TeamRole;
}

export type Invite = (
  client: LessorClient,
  body: InvitationOrder,
) => Promise<Answered<{ readonly data: MadeInvitation }>>;

interface InviteDialogProps {
  readonly title: string;
  readonly initialRole: TeamRole;
  readonly scope?: Scope;
  readonly ask: Invite;
  readonly onClose: () => void;
  readonly onMade: (made: MadeInvitation) => void;
}

export function InviteDialog({ title, initialRole, scope = "write", ask, onClose, onMade }: InviteDialogProps) {
  const form = useForm<InvitationOrder>({
    initialValues: { email: "", role: initialRole },
    validate: { email: isNotEmpty("Enter an email address.") },
  });
  const invite = useChange(
    (client, order: InvitationOrder) => ask(client, { ...order, email: order.email.trim() }),
    peopleSubjects,
  );
  return (
    <FormDialog
      title={title}
      action="Invite"
      form={form}
      change={invite}
      onClose={onClose}
      onSaved={({ data }) => {
        onMade(data);
        onClose();
      }}
    >
      <TextInput
        label="Email"
        description="An open invitation of this address is replaced."
        type="email"
        {...form.getInputProps("email")}
        autoComplete="off"
        data-autofocus
      />
      <RoleSelect scope={scope} {...form.getInputProps("role")} />
    </FormDialog>
  );
}
