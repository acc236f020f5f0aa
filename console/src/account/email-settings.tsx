// Where emails about an account go, and which kinds it gets. The kinds, and when each is sent, come from src/rules/emails.ts.

import { Button, Checkbox, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Shape } from "../../../src/client/client.ts";
import { type EmailKind, emailKinds, optionalEmailKinds } from "../../../src/rules/emails.ts";
import { useChange } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ErrorNote } from "../shared/error-state.tsx";
import { submitted, unplacedError } from "../shared/form-dialog.tsx";
import { Permitted } from "../shared/permitted.tsx";
import classes from "./account.module.css";

/** "Instance ended". */
const titleOf = (kind: EmailKind): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll("_", " ")}`;

export function EmailSettings({ account }: { readonly account: Shape<"OwnAccount"> }) {
  const { lack } = useSession();
  const missing = lack("limits");
  const form = useForm({
    initialValues: {
      contact_email: account.contact_email ?? "",
      kinds: optionalEmailKinds.filter((kind) => !account.disabled_emails.includes(kind)) as string[],
    },
  });
  const change = useChange(
    (client, { contact_email: address, kinds }: typeof form.values) =>
      client.PATCH("/account", {
        body: {
          contact_email: address.trim() === "" ? null : address.trim(),
          disabled_emails: optionalEmailKinds.filter((kind) => !kinds.includes(kind)),
        },
      }),
    ["account", "session"],
  );
  const submit = submitted(form, change, () => notifications.show({ color: "green", message: "Saved." }));
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <fieldset className={classes.fields} disabled={missing !== undefined}>
        <legend className="hidden">Emails</legend>
        <TextInput
          label="Contact address"
          description="Emails about the account go there, if your provider has configured email. Empty: none are sent."
          type="email"
          {...form.getInputProps("contact_email")}
          maw={420}
        />
        <Checkbox.Group label="Send emails about" {...form.getInputProps("kinds")}>
          {optionalEmailKinds.map((kind) => (
            <Checkbox key={kind} value={kind} label={titleOf(kind)} description={emailKinds[kind].when} mt="xs" />
          ))}
        </Checkbox.Group>
      </fieldset>
      <ErrorNote error={unplacedError(change.error, form.values)} />
      <Permitted to="change this" missing={missing}>
        <div>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </div>
      </Permitted>
    </form>
  );
}
