// The dialogs that change the role of a person, remove a person from the team, and leave it.

import { useForm } from "@mantine/form";
import { useChange } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { RoleSelect } from "./role-select.tsx";
import { type Member, peopleSubjects } from "./use-people.ts";

interface MemberDialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

export function ChangeRole({ member: { id, name, role }, onClose }: MemberDialogProps) {
  const form = useForm({ initialValues: { role } });
  const change = useChange(
    (client, body: typeof form.values) => client.PATCH("/members/{id}", { params: { path: { id } }, body }),
    peopleSubjects,
  );
  return (
    <FormDialog title={`Role of ${name}`} action="Change role" form={form} change={change} onClose={onClose}>
      <RoleSelect
        description="Takes effect with the next request of this person."
        {...form.getInputProps("role")}
        data-autofocus
      />
    </FormDialog>
  );
}

/** Of another person, or of oneself, which ends the session. */
export function RemoveMember({ member: { id, name }, onClose }: MemberDialogProps) {
  const { person, account } = useSession();
  const isOwn = person?.id === id;
  const remove = useChange<undefined, unknown>(
    (client) => client.DELETE("/members/{id}", { params: { path: { id } } }),
    peopleSubjects,
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={isOwn ? `Leave ${account.name}?` : `Remove ${name}?`}
      word={isOwn ? account.name : name}
      action={isOwn ? "Leave" : "Remove"}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>
        {isOwn
          ? "Your tokens of this team are revoked, and you will be signed out."
          : `The tokens of ${name} in this team are revoked, and sessions end.`}{" "}
        Instances, webhooks and tokens of the team stay, and instances stay billed.
      </p>
    </ConfirmTyped>
  );
}
