// How the pages of customers look, the sign-in, and the frame around all pages.

import { addresses } from "./support/addresses.ts";
import { idOf } from "./support/fixed/moments.ts";
import { describeLooks } from "./support/looks.ts";

describeLooks("the console of a customer", [
  { name: "sign-in", address: "/", signedOut: true },
  { name: "join", address: "/join#lessor_invite_fixed", signedOut: true },
  { name: "frame", address: "/instances", part: "frame" },
  ...addresses.filter(({ address }) => !address.startsWith("/operator")),
  { name: "team-invite", address: "/team", press: "Invite person" },
  { name: "balance-redeem", address: "/balance", press: "Redeem voucher" },
  { name: "balance-top-up", address: "/balance", press: "Top up" },
  { name: "balance-auto-top-up", address: "/balance", press: "Change auto top-up" },
  { name: "balance-returned", address: `/balance?top_up=${idOf("payment", 14)}` },
  { name: "payment-methods-returned", address: `/payment-methods?payment_method=${idOf("method", 2)}` },
  { name: "usage-budget", address: "/usage", press: "New budget alert" },
  { name: "tokens-new", address: "/tokens", press: "New token" },
  { name: "instances-metrics", address: `/instances/${idOf("instance", 4)}?view=metrics` },
  { name: "instances-spot", address: `/instances/${idOf("instance", 2)}` },
]);
