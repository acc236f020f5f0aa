// What a guest gets at boot, the same for every real engine. The engine stores userDataFor as the machine's cloud-init
// user-data and delivers secretsFor separately, into a running guest or by a disk (disks.ts); boot-script.sh does the
// rest in the guest.

export { type Delivery, firstBootMark, patienceSeconds } from "./boot-script.ts";
export { fileSystemSerial, secretsDisk, secretsSerial, shellEnd } from "./disks.ts";
export { envFile } from "./env-file.ts";
export { secretsEnd, secretsFor, secretsMode, secretsPath } from "./secrets.ts";
export { shellQuote } from "./shell-quote.ts";
export { userDataFor } from "./user-data.ts";
