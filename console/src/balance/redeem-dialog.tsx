// The form that redeems a voucher.

import { TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { moneyOf } from "../shared/format-money.ts";
import { balanceSubjects } from "./use-balance.ts";

export function RedeemDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useForm({ initialValues: { code: "" }, validate: { code: isNotEmpty("Enter the code.") } });
  const redeem = useChange(
    (client, { code }: typeof form.values) => client.POST("/vouchers/redeem", { body: { code: code.trim() } }),
    balanceSubjects,
  );
  return (
    <FormDialog
      title="Redeem voucher"
      action="Redeem"
      form={form}
      change={redeem}
      onClose={onClose}
      onSaved={({ data }) => {
        notifications.show({ color: "green", message: `Added ${moneyOf(data.amount_cents)} to your balance.` });
        onClose();
      }}
    >
      <TextInput
        label="Code"
        description="Counts once for your account. Dashes and case don't matter."
        {...form.getInputProps("code")}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="characters"
        data-autofocus
      />
    </FormDialog>
  );
}
