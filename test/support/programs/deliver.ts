// Delivers to webhooks until it is killed, as one server does: the database's URL and the seconds of a lease are its
// arguments. Prints a line when it has begun.

import { connect } from "../../../src/database/connect.ts";
import { startDeliveries } from "../../../src/reconciler/deliveries/deliveries.ts";
import { KeyRing } from "../../../src/secrets/key-ring.ts";

const [url = "", leaseSeconds = ""] = process.argv.slice(2);
const silent = { info() {}, warn() {}, error() {} };
startDeliveries({
  db: connect({ url }),
  keyRing: new KeyRing([Buffer.alloc(32, 7)]),
  settings: { allowPrivateTargets: true, leaseSeconds: Number(leaseSeconds), pollSeconds: 0.05 },
  log: silent,
});
process.stdout.write("delivering\n");
