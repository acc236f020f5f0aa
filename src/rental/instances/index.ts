// Instances: what other rooms may use.

export { envVarLimits } from "../../rules/env-vars.ts";
export { hostnameRule, maxLabelLength, maxNameLength } from "../../rules/names.ts";
export { maxUserDataBytes } from "../../rules/user-data.ts";
export { namesInUse } from "../launching/names-in-use.ts";
export { type LaunchOrder, maxCommandBytes, type OrderPart } from "../launching/order.ts";
export type { Asked } from "../launching/plan.ts";
export { LaunchQueue, type LaunchSteps } from "../launching/queue.ts";
export { hoursOfMonth, type Quote, type QuoteOrder, quote } from "../launching/quote.ts";
export { change } from "./change.ts";
export { changeLabels, type Labels } from "./change-labels.ts";
export { changeLifetime } from "./change-lifetime.ts";
export { type Change, changeOne } from "./change-one.ts";
export { type Instance, type InstanceType, jupyterTokenContext, simulatedEngine } from "./instance.ts";
export { type InstanceFilter, list, listAll, listedUntilMs, read, readAny, readableUntilMs } from "./instance-store.ts";
export { loginOf, loginPassword, logins } from "./login.ts";
export { mostLoginPassword } from "./login-password.ts";
export { longestReason } from "./reason.ts";
export { runningAmong } from "./running.ts";
export { parseTagFilter, type Tag, tagBounds, tagKeyRule, type WantedTag } from "./tags.ts";
