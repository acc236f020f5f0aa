// `lessor engine check`, as far as it is about libvirt hosts: what the rest of the engine exports of it.

export { checkHosts, type HostCheckOptions } from "./check-hosts.ts";
