// The parts of `lessor engine check` that engines with real machines share: findings, test instances, and isolation
// between two of them.

export { type Finding, listed, ok, problem, type Verdict, warning, wordsOf } from "./finding.ts";
export { guarded } from "./guarded.ts";
export { describeHost, unknownGpu } from "./hosts.ts";
export {
  checkIsolation,
  type IsolationOrder,
  managementTargets,
  metadataTarget,
  type Target,
} from "./isolation.ts";
export type { CheckOptions } from "./options.ts";
export { isProgramOn } from "./programs.ts";
export { checkSshProbe } from "./ssh-probe.ts";
export { type ProbeAdvice, type ProbeOrder, probeOn, stopwatch } from "./test-instance.ts";
export { checkerMark, isOrphan, probeInstallation } from "./test-instance-label.ts";
