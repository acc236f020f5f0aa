// How the pages of operators look, and what opens in them.

import { addresses } from "./support/addresses.ts";
import { idOf } from "./support/fixed/moments.ts";
import { describeLooks } from "./support/looks.ts";

describeLooks("the console of an operator", [
  ...addresses.filter(({ address }) => address.startsWith("/operator")),
  { name: "operator-host", address: "/operator/fleet?host=us-west-1-a6000-02" },
  { name: "operator-new-host", address: "/operator/fleet", press: "New host" },
  { name: "operator-host-edit", address: "/operator/fleet?host=us-west-1-a6000-02", press: "Edit" },
  { name: "operator-schedule", address: "/operator/maintenance", press: "Schedule maintenance" },
  { name: "operator-explanation", address: "/operator/capacity", press: "gpu_8x_h100_sxm5 in us-west-1" },
  { name: "operator-type", address: "/operator/catalog", press: "Change gpu_1x_a10" },
  { name: "operator-refund", address: `/operator/accounts/${idOf("account", 3)}`, press: "Record refund" },
  { name: "operator-credit-note", address: "/operator/invoices", press: "Credit note for INV-2026-000017" },
  {
    name: "operator-refunds",
    address: "/operator/payments",
    press: "Refunds of pi_3QxT8uLkdIwHu7ix01Vq5Zn",
  },
  { name: "operator-voucher", address: "/operator/vouchers", press: "New voucher" },
  { name: "operator-coupon", address: "/operator/coupons", press: "New coupon" },
]);
