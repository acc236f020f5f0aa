// One account: its quotas and limits, changed together, its balance, its people, and its tokens.

import { Button, Select, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { Link, useParams } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { paymentTermMeanings, paymentTerms } from "../../../../src/rules/payment-terms.ts";
import { quotaNames, quotaTitles } from "../../account/quotas.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { Copyable } from "../../shared/copyable.tsx";
import { ErrorNote, ErrorState } from "../../shared/error-state.tsx";
import { submitted, unplacedError } from "../../shared/form-dialog.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Money } from "../../shared/money.tsx";
import { CountInput, centsOf, DollarsInput, dollarsOf, numberOf, type Typed } from "../../shared/number-inputs.tsx";
import { Page, PageSkeleton, Section } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";
import { AccountBalance } from "./account-balance.tsx";
import classes from "./account-page.module.css";
import { AccountPeople } from "./account-people.tsx";
import { AccountTokens } from "./account-tokens.tsx";
import { AccountStatus } from "./accounts-page.tsx";
import { LiftHoldDialog, OnHold } from "./hold.tsx";

type Account = Shape<"Account">;

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
      beside={
        <>
          <AccountStatus status={account.status} />
          <OnHold since={account.held_since} />
        </>
      }
      back={{ href: "/operator/accounts", title: "Accounts" }}
      description={
        <>
          Created <Time at={account.created_at} />.
        </>
      }
      actions={
        <>
          <Hold account={account} />
          <Button component={Link} href={`/operator/payments?account=${account.id}`} variant="default">
            Payments
          </Button>
          <Button component={Link} href={`/operator/audit-log?account=${account.id}`} variant="default">
            Audit log
          </Button>
        </>
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
      <AccountBalance account={account} key={`balance ${account.id}`} />
      <Section title="People">
        <AccountPeople accountId={account.id} />
      </Section>
      <Section title="Tokens">
        <AccountTokens accountId={account.id} />
      </Section>
    </Page>
  );
}

function Hold({ account }: { readonly account: Account }) {
  const { lack } = useSession();
  const [isLifting, setLifting] = useState(false);
  return (
    <>
      {account.held_since !== null && (
        <Permitted to="lift the hold" missing={lack("limits", "operator")}>
          <Button variant="default" onClick={() => setLifting(true)}>
            Lift hold
          </Button>
        </Permitted>
      )}
      {isLifting && <LiftHoldDialog account={account} onClose={() => setLifting(false)} />}
    </>
  );
}

function Limits({ account }: { readonly account: Account }) {
  const { lack } = useSession();
  const missing = lack("limits", "operator");
  const form = useForm({
    initialValues: {
      name: account.name,
      active: account.status === "active",
      quotas: account.quotas as Readonly<Record<keyof Account["quotas"], Typed>>,
      spend_limit_cents: dollarsOf(account.spend_limit_cents),
      max_lifetime_seconds: (account.max_lifetime_seconds === null
        ? ""
        : account.max_lifetime_seconds / secondsOfDay) as Typed,
      payment_terms: account.payment_terms,
      credit_line_cents: dollarsOf(account.credit_line_cents),
    },
  });
  const change = useChange(
    (client, { active, quotas: given, spend_limit_cents, max_lifetime_seconds: days, ...others }: typeof form.values) =>
      client.PATCH("/accounts/{id}", {
        params: { path: { id: account.id } },
        body: {
          name: others.name,
          payment_terms: others.payment_terms,
          credit_line_cents: centsOf(others.credit_line_cents),
          status: active ? "active" : "inactive",
          quotas: Object.fromEntries(quotaNames.map((quota) => [quota, numberOf(given[quota])])),
          spend_limit_cents: centsOf(spend_limit_cents),
          max_lifetime_seconds: days === "" ? null : Math.round(Number(days) * secondsOfDay),
        },
      }),
    ["accounts", "account", "balance"],
  );
  const submit = submitted(form, change, ({ data }) =>
    notifications.show({ color: "green", message: `Saved ${data.name}.` }),
  );
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <div className={classes.fields}>
        <TextInput label="Name" {...form.getInputProps("name")} />
        <DollarsInput
          label="Monthly spend limit"
          description="Empty: no limit."
          {...form.getInputProps("spend_limit_cents")}
        />
        <CountInput
          label="Maximum instance lifetime in days"
          description="Empty: no limit."
          {...form.getInputProps("max_lifetime_seconds")}
        />
      </div>
      <div className={classes.fields}>
        <Select
          label="Payment"
          description={paymentTermMeanings[form.values.payment_terms]}
          data={paymentTerms.map((value) => ({ value, label: `${value.charAt(0).toUpperCase()}${value.slice(1)}` }))}
          allowDeselect={false}
          {...form.getInputProps("payment_terms")}
        />
        <DollarsInput
          label="Credit line"
          description="Of postpaid accounts. Empty: without a bound."
          {...form.getInputProps("credit_line_cents")}
        />
      </div>
      <div className={classes.fields}>
        {quotaNames.map((name) => (
          <CountInput
            key={name}
            label={quotaTitles[name]}
            description={`${formatNumber(account.used[name])} in use`}
            {...form.getInputProps(`quotas.${name}`)}
          />
        ))}
      </div>
      <Switch
        label="Active"
        description="An inactive account can't make requests. Its instances keep running, and its reservations begin; both stay billed."
        {...form.getInputProps("active", { type: "checkbox" })}
      />
      <ErrorNote error={unplacedError(change.error, form.values)} />
      {missing === undefined ? (
        <div>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </div>
      ) : (
        <p className={`soft ${classes.identity}`}>You can't change this. {missing}</p>
      )}
    </form>
  );
}
