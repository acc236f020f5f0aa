// The coupons: create, change, deactivate, delete. What was launched with one keeps its discount.

import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Icon } from "../../shared/icon.tsx";
import { Page } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";
import { CouponDialog } from "./coupon-dialog.tsx";

type Coupon = Shape<"Coupon">;

const columns: readonly Column<Coupon>[] = [
  {
    key: "code",
    header: "Code",
    primary: true,
    cell: ({ code }) => <code>{code}</code>,
    sort: ({ code }) => code,
    text: ({ code }) => code,
  },
  {
    key: "discount",
    header: "Discount",
    align: "right",
    cell: ({ discount_percent }) => `${discount_percent} %`,
    sort: ({ discount_percent }) => discount_percent,
  },
  {
    key: "types",
    header: "For",
    cell: ({ instance_types }) => (instance_types.length === 0 ? "All instance types" : instance_types.join(", ")),
    text: ({ instance_types }) => instance_types.join(" "),
  },
  {
    key: "until",
    header: "Expires",
    cell: ({ deactivation_date }) => <Time at={deactivation_date} />,
    sort: ({ deactivation_date }) => Date.parse(deactivation_date),
  },
  {
    key: "state",
    header: "State",
    cell: (coupon) => <CouponState coupon={coupon} />,
    sort: (coupon) => stateOf(coupon),
    text: stateOf,
  },
];

export function CouponsPage() {
  const read = useRead(["coupons"], (client) => client.GET("/coupons"));
  const [edited, setEdited] = useState<Coupon | "new" | null>(null);
  const [deleted, setDeleted] = useState<Coupon | null>(null);
  const { lack } = useSession();
  const missing = lack("money", "operator");
  const create = (
    <Permitted to="create coupons" missing={missing}>
      <Button leftSection={<Icon name="plus" />} onClick={() => setEdited("new")}>
        New coupon
      </Button>
    </Permitted>
  );
  return (
    <Page
      title="Coupons"
      description="Discount codes for launches. Instances keep the discount of their launch."
      actions={create}
    >
      <DataTable
        label="Coupons"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ code }) => code}
        error={read.error}
        onRetry={() => void read.refetch()}
        empty={
          <EmptyState icon="coupon" title="No coupons">
            Create one to give customers a discount.
          </EmptyState>
        }
        rowActions={(coupon) =>
          missing === undefined && (
            <>
              <Button
                variant="default"
                size="xs"
                onClick={() => setEdited(coupon)}
                aria-label={`Change ${coupon.code}`}
              >
                Change
              </Button>
              <Button
                variant="subtle"
                color="red"
                size="xs"
                onClick={() => setDeleted(coupon)}
                aria-label={`Delete ${coupon.code}`}
              >
                Delete
              </Button>
            </>
          )
        }
      />
      {edited !== null && <CouponDialog coupon={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
      {deleted !== null && <DeleteCoupon coupon={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  );
}

function DeleteCoupon({ coupon: { code }, onClose }: { readonly coupon: Coupon; readonly onClose: () => void }) {
  const remove = useChange((client) => client.DELETE("/coupons/{code}", { params: { path: { code } } }), ["coupons"]);
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Delete ${code}?`}
      action="Delete"
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      The code can no longer be used. Instances launched with it keep their discount.
    </ConfirmTyped>
  );
}

function CouponState({ coupon }: { readonly coupon: Coupon }) {
  const state = stateOf(coupon);
  return <Badge color={state === "Active" ? "green" : state === "Expired" ? "amber" : "gray"}>{state}</Badge>;
}

function stateOf({ active, deactivation_date }: Coupon): string {
  if (!active) return "Inactive";
  return Date.parse(deactivation_date) <= Date.now() ? "Expired" : "Active";
}
