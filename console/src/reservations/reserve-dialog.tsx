// The form for a reservation, with its price and whether it fits while it is edited.

import { Alert, Button, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useRef } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { useChange, useRead } from "../api/queries.ts";
import { type Attempt, isFinal, nextAttempt, randomKey } from "../launch/attempt.ts";
import { useOffers } from "../launch/use-offers.ts";
import { ErrorNote } from "../shared/error-state.tsx";
import { FormDialog, Row, unplacedError } from "../shared/form-dialog.tsx";
import { moneyOf, priceOf } from "../shared/format-money.ts";
import { regionTitle, typeTitle } from "../shared/names.tsx";
import { CountInput, numberOf, type Typed } from "../shared/number-inputs.tsx";
import { Time } from "../shared/time.tsx";
import { utcInput, utcMoment } from "../shared/utc-moment.ts";
import { reservationSubjects } from "./reservation-table.tsx";

const hourMs = 3_600_000;
const anywhere = "any";
const typingMilliseconds = 350;

interface Values {
  readonly instance_type: string;
  readonly region: string;
  readonly quantity: Typed;
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

export function ReserveDialog({ type, onClose }: { readonly type: string | undefined; readonly onClose: () => void }) {
  const { offers = [], regions } = useOffers();
  const next = Math.ceil((Date.now() + hourMs) / hourMs) * hourMs;
  const form = useForm<Values>({
    initialValues: {
      instance_type: type ?? "",
      region: anywhere,
      quantity: 1,
      from: utcInput(new Date(next).toISOString()),
      to: utcInput(new Date(next + 24 * hourMs).toISOString()),
      name: "",
    },
  });
  const attempt = useRef<Attempt>(undefined);
  const save = useChange(async (client, values: Values) => {
    const name = values.name.trim();
    const body = { ...orderOf(values), ...(name === "" ? {} : { name }) };
    // A lost response is retried with its key, so that nothing is reserved twice.
    const present = nextAttempt(attempt.current, JSON.stringify(body), randomKey);
    attempt.current = present;
    const answer = await client.POST("/reservations", { params: { header: { "Idempotency-Key": present.key } }, body });
    attempt.current = { ...present, answered: isFinal(answer.response.status) };
    return answer;
  }, reservationSubjects);
  const { instance_type: chosen } = form.values;
  return (
    <FormDialog size="lg" title="Reserve capacity" action="Reserve" form={form} change={save} onClose={onClose}>
      <Select
        label="Instance type"
        data={offers.map(({ instance_type: one }) => ({ value: one.name, label: typeTitle(one) }))}
        searchable
        allowDeselect={false}
        {...form.getInputProps("instance_type")}
        value={chosen === "" ? null : chosen}
      />
      <Row>
        <Select
          label="Region"
          data={[
            { value: anywhere, label: "Any" },
            ...regions.map((one) => ({ value: one.name, label: regionTitle(one) })),
          ]}
          allowDeselect={false}
          {...form.getInputProps("region")}
        />
        <CountInput label="Quantity" min={1} {...form.getInputProps("quantity")} />
      </Row>
      <Row>
        <TextInput label="Begins (UTC)" type="datetime-local" {...form.getInputProps("from")} />
        <TextInput label="Ends (UTC)" type="datetime-local" {...form.getInputProps("to")} />
      </Row>
      <TextInput label="Name" placeholder="Optional" maxLength={64} {...form.getInputProps("name")} />
      <QuoteNote values={form.values} isShown={chosen !== ""} onChange={(part) => form.setValues(part)} />
    </FormDialog>
  );
}

function orderOf({ instance_type, region, quantity, from, to }: Values) {
  return {
    instance_type,
    quantity: numberOf(quantity),
    from: utcMoment(from),
    to: utcMoment(to),
    ...(region === anywhere ? {} : { region }),
  };
}

/** "2026-03-18 08:00 (UTC)", as the fields above it. */
const utcText = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} (UTC)`;

interface QuoteNoteProps {
  readonly values: Values;
  readonly isShown: boolean;
  readonly onChange: (part: Partial<Values>) => void;
}

function QuoteNote({ values, isShown, onChange }: QuoteNoteProps) {
  const [typed] = useDebouncedValue(values, typingMilliseconds);
  const query = orderOf(typed);
  const isWhole = query.from !== "" && query.to !== "" && query.quantity > 0;
  const read = useRead(
    ["reservation-quote", query],
    (client) => client.GET("/reservation-quote", { params: { query } }),
    { enabled: isShown && isWhole, keep: true },
  );
  const quote = read.data?.data;
  if (!isShown || !isWhole) return null;
  // What its fields say of an order is said of the form when it is sent.
  if (read.error !== null) return <ErrorNote error={unplacedError(read.error, {}) ?? read.error} />;
  if (quote === undefined) return null;
  return (
    <div role="status">
      <p>
        <strong>{moneyOf(Number(quote.cost_cents))}</strong>, used or not: {priceOf(quote.price_cents_per_hour)} per
        hour
        {quote.quantity > 1 && " and instance"}. {quote.region !== null && `In ${quote.region}. `}
        {quote.cancellable_until === null ? (
          "It begins too soon to be cancelled."
        ) : (
          <>
            You can cancel it, at no cost, until {utcText(quote.cancellable_until)}
            {quote.cancellable_until === quote.from && ", when it begins"}.
          </>
        )}
      </p>
      {!quote.fits && <DoesNotFit quote={quote} values={values} onChange={onChange} />}
    </div>
  );
}

interface DoesNotFitProps extends Pick<QuoteNoteProps, "values" | "onChange"> {
  readonly quote: Shape<"ReservationQuote">;
}

function DoesNotFit({ quote, values, onChange }: DoesNotFitProps) {
  const { fits_from: later, fits_in: regions } = quote;
  const lasts = Date.parse(quote.to) - Date.parse(quote.from);
  return (
    <Alert color="amber" title="Not enough capacity at that time">
      {later === null ? (
        regions.length === 0 ? (
          "Choose another time, another region or another instance type."
        ) : (
          `Fewer fit: ${regions.map(({ region, available }) => `${region} (${available})`).join(", ")}.`
        )
      ) : (
        <>
          It would fit for as long <Time at={later} />.{" "}
          <Button
            size="compact-sm"
            variant="default"
            onClick={() =>
              onChange({
                ...values,
                from: utcInput(later),
                to: utcInput(new Date(Date.parse(later) + lasts).toISOString()),
              })
            }
          >
            Use that time
          </Button>
        </>
      )}
    </Alert>
  );
}
