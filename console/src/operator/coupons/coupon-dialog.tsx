// A coupon to be created or changed. Used by coupons-page.tsx.

import { MultiSelect, NumberInput, Switch, TextInput } from "@mantine/core";
import type { Shape } from "../../../../src/client/index.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { NameInput, useNameRule } from "../catalog/name-input.tsx";
import { FormDialog, fieldErrorOf, Row, useValues } from "../form-dialog.tsx";

type Coupon = Shape<"Coupon">;

const fields = ["code", "discount_percent", "deactivation_date", "instance_types"];

/** `coupon`: null is a new one. */
export function CouponDialog({ coupon, onClose }: { readonly coupon: Coupon | null; readonly onClose: () => void }) {
  const { values, set } = useValues({
    code: coupon?.code ?? "",
    discount: (coupon?.discount_percent ?? "") as number | string,
    // To the second, in UTC: as it is taken back without being touched.
    until: coupon?.deactivation_date.slice(0, 19) ?? "",
    types: coupon?.instance_types ?? [],
    active: coupon?.active ?? true,
  });
  const types = useRead(["instance-types"], (client) => client.GET("/instance-types"));
  const put = useChange(
    (client) =>
      client.PUT("/coupons/{code}", {
        params: { path: { code: values.code } },
        body: {
          discount_percent: Number(values.discount),
          deactivation_date: momentOf(values.until),
          instance_types: values.types,
          active: values.active,
        },
      }),
    ["coupons"],
  );
  const rule = useNameRule(values.code, fieldErrorOf(put.error, "code"));
  const error = (field: string) => fieldErrorOf(put.error, field);
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={coupon === null ? "New coupon" : `Change ${coupon.code}`}
      action={coupon === null ? "Create" : "Save"}
      onSubmit={() => rule.passes() && put.mutate(undefined, { onSuccess: onClose })}
      pending={put.isPending}
      error={put.error}
      fields={fields}
    >
      <NameInput
        label="Code"
        description="1 to 64 visible characters. Customers enter it."
        value={values.code}
        onChange={set("code")}
        isNew={coupon === null}
        error={rule.error}
      />
      <Row>
        <NumberInput
          label="Discount in percent"
          value={values.discount}
          onChange={set("discount")}
          error={error("discount_percent")}
          decimalScale={2}
          hideControls
        />
        <TextInput
          label="Expires (UTC)"
          type="datetime-local"
          step={1}
          value={values.until}
          onChange={(event) => set("until")(event.currentTarget.value)}
          error={error("deactivation_date")}
        />
      </Row>
      <MultiSelect
        label="For instance types"
        description="Empty: all instance types."
        data={types.data?.data.map(({ name }) => name) ?? values.types}
        value={values.types}
        onChange={set("types")}
        error={error("instance_types")}
        searchable
      />
      <Switch label="Active" checked={values.active} onChange={(event) => set("active")(event.currentTarget.checked)} />
    </FormDialog>
  );
}

/** What a datetime-local input has, as a moment in UTC. What is none is for the service to refuse, at its field. */
function momentOf(text: string): string {
  if (text === "") return text;
  return `${text.length === 16 ? `${text}:00` : text}Z`;
}
