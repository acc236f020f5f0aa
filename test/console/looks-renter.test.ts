// How the pages of customers look, and the sign-in.

import { addresses } from "./support/addresses.ts";
import { describeLooks } from "./support/looks.ts";

describeLooks("the console of a customer", [
  { name: "sign-in", address: "/", signedOut: true },
  ...addresses.filter(({ address }) => !address.startsWith("/operator")),
]);
