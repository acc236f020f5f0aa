// Three real libvirt hosts on this machine (docs: CONTRIBUTING.md). For the tests beside this folder:
//
//   const lab = vmLabOf(inject("vmLab"));

export { type StartedVmLab, startVmLab, type VmHost, type VmLab, type VmLabFacts, vmLabOf } from "./lab.ts";
