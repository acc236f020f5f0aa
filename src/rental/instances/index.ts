// Instances: what other rooms may use.

export { envVarLimits } from "../../env-vars.ts";
export { change } from "./change.ts";
export { changeLabels, type Labels } from "./change-labels.ts";
export { changeLifetime } from "./change-lifetime.ts";
export { type Change, changeOne } from "./change-one.ts";
export { type Instance, jupyterTokenContext, type Product, simulatedEngine } from "./instance.ts";
export { type InstanceFilter, list, listAll, listedUntilMs, read, readAny, readableUntilMs } from "./instance-store.ts";
export { launch, launchTogether } from "./launch.ts";
export { type LaunchFields, type LaunchOrder, maxCommandBytes } from "./launch-order.ts";
export { type Asked, launchQuestions } from "./launch-plan.ts";
export { loginOf, loginPassword, logins } from "./login.ts";
export { mostLoginPassword } from "./login-password.ts";
export { hostnameRule, maxLabelLength, maxNameLength } from "./names.ts";
export { namesInUse } from "./names-in-use.ts";
export { hoursOfMonth, type Quote, type QuoteOrder, quote } from "./quote.ts";
export { longestReason } from "./reason.ts";
export { runningAmong } from "./running.ts";
export { parseTagFilter, type Tag, tagBounds, tagKeyRule, type WantedTag } from "./tags.ts";
export { maxUserDataBytes } from "./user-data.ts";
