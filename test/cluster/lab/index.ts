// A real LXD cluster of three members on this machine (docs: CONTRIBUTING.md). For the tests beside this folder:
//
//   const lab = labOf(inject("lab"));

export type { ClientCertificate } from "./client-certificate.ts";
export { imageAlias } from "./image.ts";
export { type Lab, type LabFacts, labOf, type Member, type StartedLab, startLab } from "./lab.ts";
