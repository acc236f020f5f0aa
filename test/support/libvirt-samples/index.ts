// Hosts as libvirt describes them: recorded ones, and ones that are written after machines that are not at hand.

export { desktop, desktop3090, desktop4090, desktopDevices, desktopOwn } from "./desktop.ts";
export { hgxDevices, hgxGpus, hgxH100, hgxSwitches } from "./hgx-h100.ts";
export {
  capabilitiesXml,
  type HostSample,
  nodedevName,
  nodedevs,
  poolXml,
  type SampleCell,
  type SampleDevice,
} from "./host-sample.ts";
export { small, twoCellsFree } from "./recorded.ts";
