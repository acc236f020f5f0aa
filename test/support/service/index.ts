// `lessor serve` on real machines, for the tests of test/cluster and test/vm.

export { act, envSeen, envVars, hostsSeen, launchBy } from "./rental.ts";
export {
  type Customer,
  type Ground,
  loginUser,
  type Service,
  type ServiceOptions,
  type Shown,
  startService,
} from "./service.ts";
