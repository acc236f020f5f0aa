// Check a coupon: its discount on each instance type.

import { Button, TextInput } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { given, LessorError, type Shape } from "../../../src/client/client.ts";
import { useSession } from "../api/session-context.tsx";
import { useOffers } from "../launch/use-offers.ts";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { priceOf } from "../shared/format-money.ts";
import { TypeName, typeTitle } from "../shared/names.tsx";
import { Page } from "../shared/page.tsx";
import classes from "./coupons-page.module.css";

interface Checked {
  readonly type: Shape<"InstanceType">;
  /** Null: rejected for this instance type. */
  readonly quote: Shape<"Quote"> | null;
  /** Why. */
  readonly refusal: string;
}

export function CouponsPage() {
  const [typed, setTyped] = useState("");
  const [code, setCode] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setCode(typed.trim());
  };
  return (
    <Page
      title="Coupons"
      description="Enter a coupon when you launch an instance. Its discount lasts as long as the instance. Check its discount here."
    >
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label="Code"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="characters"
        />
        <Button type="submit" disabled={typed.trim() === ""}>
          Check
        </Button>
      </form>
      {code !== "" && <Worth code={code} key={code} />}
    </Page>
  );
}

function Worth({ code }: { readonly code: string }) {
  const { client } = useSession();
  const { offers, read } = useOffers();
  const quotes = useQueries({
    queries: (offers ?? []).map(({ instance_type }) => ({
      queryKey: ["quote", { instance_type: instance_type.name, quantity: 1 }, code],
      queryFn: () =>
        given(client.GET("/quote", { params: { query: { instance_type: instance_type.name, coupon: code } } })),
    })),
  });
  const isRead = offers !== undefined && quotes.every(({ isPending }) => !isPending);
  const rows: Checked[] | undefined = isRead
    ? offers.map(({ instance_type }, index) => {
        const { data, error } = quotes[index] ?? {};
        return { type: instance_type, quote: data?.data ?? null, refusal: error?.message ?? "" };
      })
    : undefined;
  const failure = quotes.find(
    ({ error }) => error !== null && !(error instanceof LessorError && error.status < 500),
  )?.error;
  if (failure != null) return <ErrorState error={failure} />;
  const refusals = new Set(rows?.map(({ refusal }) => refusal));
  const [only = ""] = refusals;
  if (rows !== undefined && refusals.size === 1 && only !== "") {
    return (
      <EmptyState icon="coupon" title={only}>
        Check the spelling of the code.
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Instance types"
      columns={columns}
      rows={rows}
      rowKey={({ type }) => type.name}
      error={read.error}
      empty={<EmptyState icon="instance" title="No instance types" />}
      filter={false}
    />
  );
}

const columns: readonly Column<Checked>[] = [
  {
    key: "type",
    header: "Instance type",
    primary: true,
    cell: ({ type }) => <TypeName type={type} />,
    sort: ({ type }) => typeTitle(type),
  },
  {
    key: "discount",
    header: "Discount",
    cell: ({ quote, refusal }) =>
      quote?.coupon == null ? <span className="soft">{refusal}</span> : `${quote.coupon.discount_percent} %`,
  },
  {
    key: "list",
    header: "List price per hour",
    align: "right",
    cell: ({ type }) => priceOf(type.price_cents_per_hour),
    sort: ({ type }) => type.price_cents_per_hour,
  },
  {
    key: "price",
    header: "With coupon",
    align: "right",
    cell: ({ quote }) => (quote === null ? <span className="soft">–</span> : priceOf(quote.hourly.after.cost_cents)),
    sort: ({ quote }) => (quote === null ? null : Number(quote.hourly.after.cost_cents)),
  },
];
