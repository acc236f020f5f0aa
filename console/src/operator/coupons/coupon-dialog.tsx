// The form for a coupon, new or changed.

import { MultiSelect, NumberInput, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { FormDialog, Row } from "../../shared/form-dialog.tsx";
import type { Typed } from "../../shared/number-inputs.tsx";
import { utcInput, utcMoment } from "../../shared/utc-moment.ts";
import { NameInput, nameRule } from "../catalog/name-input.tsx";

type Coupon = Shape<"Coupon">;

/** `coupon`: null is a new one. */
export function CouponDialog({ coupon, onClose }: { readonly coupon: Coupon | null; readonly onClose: () => void }) {
  const form = useForm({
    initialValues: {
      code: coupon?.code ?? "",
      discount_percent: (coupon?.discount_percent ?? "") as Typed,
      deactivation_date: coupon === null ? "" : utcInput(coupon.deactivation_date),
      instance_types: coupon?.instance_types ?? [],
      active: coupon?.active ?? true,
    },
    validate: { code: nameRule },
  });
  const types = useRead(["instance-types"], (client) => client.GET("/instance-types"));
  const put = useChange(
    (client, { code, discount_percent, deactivation_date, ...others }: typeof form.values) =>
      client.PUT("/coupons/{code}", {
        params: { path: { code } },
        body: {
          ...others,
          discount_percent: Number(discount_percent),
          deactivation_date: utcMoment(deactivation_date),
        },
      }),
    ["coupons"],
  );
  return (
    <FormDialog
      size="lg"
      title={coupon === null ? "New coupon" : `Change ${coupon.code}`}
      action={coupon === null ? "Create" : "Save"}
      form={form}
      change={put}
      onClose={onClose}
    >
      <NameInput
        label="Code"
        description="1 to 64 visible characters. Customers enter it."
        {...form.getInputProps("code")}
        isNew={coupon === null}
      />
      <Row>
        <NumberInput
          label="Discount in percent"
          {...form.getInputProps("discount_percent")}
          decimalScale={2}
          hideControls
        />
        <TextInput label="Expires (UTC)" type="datetime-local" step={1} {...form.getInputProps("deactivation_date")} />
      </Row>
      <MultiSelect
        label="For instance types"
        description="Empty: all instance types."
        data={types.data?.data.map(({ name }) => name) ?? form.values.instance_types}
        {...form.getInputProps("instance_types")}
        searchable
      />
      <Switch label="Active" {...form.getInputProps("active", { type: "checkbox" })} />
    </FormDialog>
  );
}
