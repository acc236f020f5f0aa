// `lessor serve` on real machines, for the tests of test/cluster and test/vm.

export { envSeen, envVars, hostsSeen, launchBy, wish } from "./rental.ts";
export {
  type Customer,
  type Ground,
  loginUser,
  type Service,
  type ServiceOptions,
  type Shown,
  startService,
} from "./service.ts";
