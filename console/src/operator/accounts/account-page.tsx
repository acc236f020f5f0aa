// One account: its quotas and limits, to be changed at once, and its tokens.

import { Button, Switch, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { SubmitEvent } from "react";
import { Link, useParams } from "wouter";
import type { Shape } from "../../../../src/client/index.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { Copyable } from "../../shared/copyable.tsx";
import { ErrorNote, ErrorState } from "../../shared/error-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Money } from "../../shared/money.tsx";
import { Page, PageSkeleton, Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { fieldErrorOf, useValues } from "../form-dialog.tsx";
import classes from "./account-page.module.css";
import { AccountTokens } from "./account-tokens.tsx";
import { AccountStatus } from "./accounts-page.tsx";
import { CountInput, centsOf, DollarsInput, dollarsOf } from "./limits-fields.tsx";

type Account = Shape<"Account">;

const quotas = {
  instances: "Instances",
  gpus: "GPUs",
  vcpus: "vCPUs",
  ssh_keys: "SSH keys",
  file_systems: "File systems",
} as const satisfies Record<keyof Account["quotas"], string>;
// Object.keys gives texts; these are the table's.
const quotaNames = Object.keys(quotas) as readonly (keyof typeof quotas)[];

const secondsOfDay = 86_400;

export function AccountPage() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useRead(["accounts", id], (client) => client.GET("/accounts/{id}", { params: { path: { id } } }));
  if (read.data === undefined && read.error !== null)
    return <ErrorState error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <PageSkeleton title="Account" />;
  const account = read.data.data;
  return (
    <Page
      title={account.name}
      beside={<AccountStatus status={account.status} />}
      back={{ href: "/operator/accounts", title: "Accounts" }}
      description={
        <>
          Created <Time at={account.created_at} />.
        </>
      }
      actions={
        <Button component={Link} href={`/operator/audit-log?account=${account.id}`} variant="default">
          Audit log
        </Button>
      }
    >
      <p className={classes.identity}>
        <Copyable value={account.id} label="account id" />
        {account.spent_this_month_cents !== null && (
          <span className="soft">
            <Money cents={account.spent_this_month_cents} /> spent this month
          </span>
        )}
      </p>
      <Section title="Quotas and limits">
        <Limits account={account} key={account.id} />
      </Section>
      <Section title="Tokens">
        <AccountTokens accountId={account.id} />
      </Section>
    </Page>
  );
}

function Limits({ account }: { readonly account: Account }) {
  const { values, set } = useValues({
    name: account.name,
    active: account.status === "active",
    quotas: account.quotas as Readonly<Record<keyof Account["quotas"], number | string>>,
    spendLimit: dollarsOf(account.spend_limit_cents),
    lifetimeDays:
      account.max_lifetime_seconds === null ? ("" as number | string) : account.max_lifetime_seconds / secondsOfDay,
  });
  const change = useChange(
    (client) =>
      client.PATCH("/accounts/{id}", {
        params: { path: { id: account.id } },
        body: {
          name: values.name,
          status: values.active ? "active" : "inactive",
          quotas: Object.fromEntries(quotaNames.map((name) => [name, numberOf(values.quotas[name])])),
          spend_limit_cents: centsOf(values.spendLimit),
          max_lifetime_seconds:
            values.lifetimeDays === "" ? null : Math.round(Number(values.lifetimeDays) * secondsOfDay),
        },
      }),
    ["accounts", "account"],
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate(undefined, {
      onSuccess: ({ data }) => notifications.show({ color: "green", message: `Saved ${data.name}.` }),
    });
  };
  const error = (field: string) => fieldErrorOf(change.error, field);
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <div className={classes.fields}>
        <TextInput
          label="Name"
          value={values.name}
          onChange={(event) => set("name")(event.currentTarget.value)}
          error={error("name")}
        />
        <DollarsInput
          label="Monthly spend limit"
          description="Empty: no limit."
          value={values.spendLimit}
          onChange={set("spendLimit")}
          error={error("spend_limit_cents")}
        />
        <CountInput
          label="Maximum instance lifetime in days"
          description="Empty: no limit."
          value={values.lifetimeDays}
          onChange={set("lifetimeDays")}
          error={error("max_lifetime_seconds")}
        />
      </div>
      <div className={classes.fields}>
        {quotaNames.map((name) => (
          <CountInput
            key={name}
            label={quotas[name]}
            description={`${formatNumber(account.used[name])} in use`}
            value={values.quotas[name]}
            onChange={(value) => set("quotas")({ ...values.quotas, [name]: value })}
            error={error(`quotas.${name}`)}
          />
        ))}
      </div>
      <Switch
        label="Active"
        description="An inactive account can't make requests. Its instances keep running and stay billed."
        checked={values.active}
        onChange={(event) => set("active")(event.currentTarget.checked)}
      />
      {change.error !== null && Object.keys(fieldsOf(change.error)).length === 0 && <ErrorNote error={change.error} />}
      <div>
        <Button type="submit" loading={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

/** What an input has, for the service to refuse where it is no number. */
const numberOf = (value: number | string): number => (value === "" ? Number.NaN : Number(value));

const fieldsOf = (error: Error): object =>
  "fields" in error && typeof error.fields === "object" && error.fields !== null ? error.fields : {};
