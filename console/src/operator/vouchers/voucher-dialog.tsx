// The form for a new voucher. Its code is shown once.

import { TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { FormDialog, Row } from "../../shared/form-dialog.tsx";
import { CountInput, DollarsInput, numberOf, type Typed } from "../../shared/number-inputs.tsx";
import { utcMoment } from "../../shared/utc-moment.ts";

interface VoucherDialogProps {
  readonly onClose: () => void;
  readonly onMade: (voucher: Shape<"MadeVoucher">) => void;
}

export function VoucherDialog({ onClose, onMade }: VoucherDialogProps) {
  const form = useForm({
    initialValues: { name: "", amount_cents: "" as Typed, max_uses: 1 as Typed, expires_at: "", code: "" },
    validate: { name: isNotEmpty("Enter a name.") },
  });
  const create = useChange(
    (client, { name, amount_cents: amount, max_uses: uses, expires_at: expires, code }: typeof form.values) =>
      client.POST("/vouchers", {
        body: {
          name: name.trim(),
          amount_cents: Math.round(numberOf(amount) * 100),
          max_uses: numberOf(uses),
          expires_at: expires === "" ? null : utcMoment(expires),
          ...(code.trim() === "" ? {} : { code: code.trim() }),
        },
      }),
    ["vouchers"],
  );
  return (
    <FormDialog
      size="lg"
      title="New voucher"
      action="Create"
      form={form}
      change={create}
      onClose={onClose}
      onSaved={({ data }) => {
        onMade(data);
        onClose();
      }}
    >
      <TextInput
        label="Name"
        description="Customers see it in their ledger."
        {...form.getInputProps("name")}
        autoComplete="off"
        maxLength={64}
        data-autofocus
      />
      <Row>
        <DollarsInput label="Amount" description="For each account." min={0} {...form.getInputProps("amount_cents")} />
        <CountInput
          label="Accounts"
          description="How many can redeem it."
          min={1}
          {...form.getInputProps("max_uses")}
        />
      </Row>
      <Row>
        <TextInput
          label="Expires (UTC)"
          description="Empty: never."
          type="datetime-local"
          step={1}
          {...form.getInputProps("expires_at")}
        />
        <TextInput
          label="Code"
          description="Empty: a random one, which can't be guessed."
          {...form.getInputProps("code")}
          autoComplete="off"
          spellCheck={false}
        />
      </Row>
    </FormDialog>
  );
}
