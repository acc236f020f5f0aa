// What invoices state of the account: name, address, country and tax id, and where they are sent.

import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMemo } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ErrorNote, ErrorState } from "../shared/error-state.tsx";
import { Row, submitted, unplacedError } from "../shared/form-dialog.tsx";
import { Page, PageSkeleton } from "../shared/page.tsx";
import { Permitted } from "../shared/permitted.tsx";
import classes from "./account.module.css";
import { countryChoices } from "./countries.ts";

export function BillingDetailsPage() {
  const read = useRead(["billing-details"], (client) => client.GET("/account/billing-details"));
  if (read.data === undefined && read.error !== null)
    return <ErrorState error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <PageSkeleton title="Billing details" />;
  return (
    <Page
      title="Billing details"
      back={{ href: "/invoices", title: "Invoices" }}
      description="What invoices state of you from now on. Those that were issued stay as they are."
    >
      <Form details={read.data.data} />
    </Page>
  );
}

function Form({ details }: { readonly details: Shape<"BillingDetails"> }) {
  const { account, lack } = useSession();
  const missing = lack("money");
  const countries = useMemo(() => countryChoices(details.country), [details.country]);
  const form = useForm({
    initialValues: {
      legal_name: details.legal_name ?? "",
      address: details.address.join("\n"),
      country: details.country,
      tax_id: details.tax_id ?? "",
      invoice_email: details.invoice_email ?? "",
    },
  });
  const change = useChange(
    (client, values: typeof form.values) =>
      client.PATCH("/account/billing-details", {
        body: {
          legal_name: orNull(values.legal_name),
          address: values.address.split("\n").flatMap((line) => line.trim() || []),
          country: values.country,
          tax_id: orNull(values.tax_id),
          invoice_email: orNull(values.invoice_email),
        },
      }),
    ["billing-details"],
  );
  const submit = submitted(form, change, () => notifications.show({ color: "green", message: "Saved." }));
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <fieldset className={classes.fields} disabled={missing !== undefined}>
        <legend className="hidden">Billing details</legend>
        <TextInput
          label="Name"
          description={`Of the person or company. Empty: ${account.name}.`}
          {...form.getInputProps("legal_name")}
          autoComplete="organization"
          maw={420}
        />
        <Textarea
          label="Address"
          description="Up to six lines, without the country."
          {...form.getInputProps("address")}
          autoComplete="street-address"
          rows={4}
          maw={420}
        />
        <Row>
          <Select
            label="Country"
            description="Decides about tax."
            placeholder="None"
            data={countries}
            {...form.getInputProps("country")}
            searchable
            clearable
            clearButtonProps={{ "aria-label": "No country" }}
            disabled={missing !== undefined}
          />
          <TextInput
            label="Tax ID"
            description="In the European Union with the country in front."
            {...form.getInputProps("tax_id")}
            autoComplete="off"
            spellCheck={false}
          />
        </Row>
        <TextInput
          label="Address for invoices"
          description="Emails with invoices go there. Empty: to the contact address."
          type="email"
          {...form.getInputProps("invoice_email")}
          maw={420}
        />
      </fieldset>
      <ErrorNote error={unplacedError(change.error, form.values)} />
      <Permitted to="change billing details" missing={missing}>
        <div>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </div>
      </Permitted>
    </form>
  );
}

function orNull(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === "" ? null : trimmed;
}
