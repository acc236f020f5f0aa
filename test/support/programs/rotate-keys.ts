// A server as far as its encryption keys go. Arguments: the database, the key file, and the step of a rotation at which it
// kills itself, with how many of these it lets pass first. Asks for a rotation, says so, and works until it is dead.

import { pino } from "pino";
import { connect } from "../../../src/database/connect.ts";
import { inTransaction } from "../../../src/database/transaction.ts";
import { Encryption } from "../../../src/encryption/encryption.ts";
import { loadOrCreateKeyFile } from "../../../src/secrets/key-file.ts";
import { KeyRing } from "../../../src/secrets/key-ring.ts";

const [url = "", keyFile = "", step = "", pass = "0"] = process.argv.slice(2);
const db = connect({ url });
let passed = 0;
const encryption = new Encryption({
  db,
  keyRing: new KeyRing(loadOrCreateKeyFile(keyFile)),
  keyFile,
  log: pino({ level: "silent" }),
  version: "1.2.3",
  alone: true,
  lookSeconds: 0.02,
  batchSize: 3,
  onStep: (at) => {
    if (at !== step) return;
    if (passed === Number(pass)) process.kill(process.pid, "SIGKILL");
    passed += 1;
  },
});
await encryption.start();
await inTransaction(db, (tx) => encryption.rotate(tx));
process.stdout.write("asked\n");
