// What the guest is told at boot, the same for every real engine. The engine stores userDataFor as the machine's
// cloud-init user-data and delivers secretsFor out of band; boot-script.sh does the rest in the guest.

export { firstBootMark, patienceSeconds } from "./boot-script.ts";
export { envFile } from "./env-file.ts";
export { secretsEnd, secretsFor, secretsMode, secretsPath } from "./secrets.ts";
export { userDataFor } from "./user-data.ts";
