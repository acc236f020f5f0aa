// Instances: what other rooms may use.

export { change } from "./change.ts";
export { envVarLimits } from "./env-vars.ts";
export { type Instance, jupyterTokenContext, type Product, passwordContext } from "./instance.ts";
export { type InstanceFilter, list, listAll, read, readAny } from "./instance-store.ts";
export { launch } from "./launch.ts";
export type { LaunchFields, LaunchOrder } from "./launch-order.ts";
