// What a launch sends, made of what was typed, and sending it: with a key of its own that is repeated over lost answers, so
// that the service knows a second try for what it is. Used by commands/launch.ts.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { paths } from "../../client/index.ts";
import { confirm } from "../ask.ts";
import { CommandError, isUnanswered, usageError } from "../command-error.ts";
import { rulesetNamed } from "../commands/firewall.ts";
import { fileSystemNamed } from "../commands/fs.ts";
import { connectionFrom } from "../connection/connection.ts";
import type { Instance } from "../instances.ts";
import { centsIn, perHour, secondsIn, wholeNumber } from "../output/units.ts";
import { canAsk, type Shell } from "../shell.ts";
import { tagFrom } from "../tags.ts";
import { type EnvVars, envVarFrom, readEnvFile, refuseBadVars } from "./env-file.ts";
import { launchKey } from "./key.ts";
import { orderLike } from "./like.ts";
import { namesInUseText, type Quote, refuseWithoutRoom } from "./quote.ts";

export type LaunchOrder = paths["/instances"]["post"]["requestBody"]["content"]["application/json"];

export interface LaunchOptions {
  readonly like?: string;
  readonly name?: string;
  readonly region?: string;
  readonly quantity: string;
  readonly image?: string;
  /** False: --no-key. */
  readonly key?: readonly string[] | boolean;
  readonly password: boolean;
  readonly fs?: readonly string[];
  readonly tag?: readonly string[];
  readonly firewall?: readonly string[];
  readonly env?: readonly string[];
  readonly envFile?: readonly string[];
  readonly startup?: string;
  readonly userData?: string;
  readonly coupon?: string;
  readonly maxPrice?: string;
  readonly maxLifetime?: string;
}

/** The body of the request, without what was not given. Throws CommandError before anything is launched. */
export async function orderFrom(shell: Shell, type: string | undefined, options: LaunchOptions): Promise<LaunchOrder> {
  const { name, region, quantity, image, startup, userData, coupon, maxPrice, maxLifetime } = options;
  const vars = varsFrom(options, shell.env);
  refuseBadVars(vars);
  const count = wholeNumber("--quantity", 1)(quantity);
  const like = options.like === undefined ? {} : await orderLike(shell, options.like, count);
  const instanceType = type ?? like.instance_type;
  if (instanceType === undefined) throw usageError("Name an instance type.", "See lessor types, or use --like.");
  const order: LaunchOrder = {
    ...like,
    instance_type: instanceType,
    quantity: count,
    ...given({ name, region, image, coupon, command: startup }),
    ...(Object.keys(vars).length === 0 ? {} : { env_vars: vars }),
    ...(userData === undefined ? {} : { user_data: textOf(userData) }),
    ...(maxPrice === undefined ? {} : { max_price_cents_per_hour: centsIn(maxPrice) }),
    ...(maxLifetime === undefined
      ? {}
      : { max_lifetime_seconds: maxLifetime === "none" ? null : secondsIn(maxLifetime) }),
    ...(options.tag === undefined ? {} : { tags: options.tag.map(tagFrom) }),
    ...(await loginFrom(shell, options, like)),
  };
  const rulesets = await Promise.all((options.firewall ?? []).map((word) => rulesetNamed(shell, word)));
  if (rulesets.length > 0) order.firewall_ruleset_ids = rulesets.map(({ id }) => id);
  if (options.fs === undefined) return order;
  const { file_system_mounts: _, ...others } = order;
  return { ...others, ...(await fileSystemsFrom(shell, options.fs)) };
}

/** Keys or a password, as given; otherwise as the other instance has it. Throws CommandError. */
async function loginFrom(
  shell: Shell,
  { key, password }: LaunchOptions,
  { ssh_key_names: names, password_without_keys: byPassword }: Partial<LaunchOrder>,
): Promise<Pick<LaunchOrder, "ssh_key_names" | "password_without_keys">> {
  const isGiven = Array.isArray(key) || key === false;
  if (password || (byPassword === true && !isGiven)) return { ssh_key_names: [], password_without_keys: true };
  if (names !== undefined && !isGiven) return { ssh_key_names: names };
  return { ssh_key_names: [...(await keysFrom(shell, key))], password_without_keys: false };
}

/** So often a launch is sent again whose answer was lost, with longer and longer waits: about a minute. */
const waitsMs = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];

/** Launches at most at the quoted price. Throws CommandError, also where in the end nobody knows whether it was done. */
export async function launch(
  shell: Shell,
  order: LaunchOrder,
  { quote, yes }: { readonly quote: Quote; readonly yes: boolean },
): Promise<Instance[]> {
  const priceCents = order.max_price_cents_per_hour ?? quote.list_price_cents_per_hour;
  const kept = launchKey(
    shell.env,
    connectionFrom(shell.env).token,
    [connectionFrom(shell.env).address, order],
    priceCents,
  );
  if (kept.isRepeated)
    shell.err.line("The response to this launch was lost before. It is retried and creates no duplicates.");
  else await beforeFirst(kept.done);
  try {
    const body = { ...order, max_price_cents_per_hour: kept.priceCents };
    const instances = await orInterrupted(sent(shell, body, kept.key));
    kept.done();
    return instances;
  } catch (error) {
    // An internal error, there or here, may have come behind the launch.
    const isRefusal = error instanceof CommandError && error.code !== "global/internal-error";
    if (isRefusal && error.exit !== "unreachable" && error.exit !== "interrupted") kept.done();
    throw error;
  }

  /** What may keep it from being sent at all. A name in use may be that of a launch whose response was lost. */
  async function beforeFirst(forget: () => void): Promise<void> {
    try {
      refuseDearer(quote, priceCents);
      await refuseWithoutRoom(shell.client(), quote);
      await confirmNames(shell, quote, yes);
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** Points out names that instances have already. Throws CommandError where a person says no. */
async function confirmNames(shell: Shell, { names_in_use: names }: Quote, yes: boolean): Promise<void> {
  const text = namesInUseText(names);
  if (text === undefined) return;
  if (yes || !canAsk(shell)) return shell.err.line(text);
  await confirm(shell, { what: text, yes });
}

/** Throws CommandError: as the service answers, or where its answer stays away. */
async function sent(shell: Shell, body: LaunchOrder, key: string): Promise<Instance[]> {
  const params = { header: { "Idempotency-Key": key } };
  for (const waitMs of [...waitsMs, undefined]) {
    try {
      return (await shell.client().ask((api) => api.POST("/instances", { params, body }))).data;
    } catch (error) {
      const isOpen = isUnanswered(error) || (error instanceof CommandError && error.code === "idempotency/in-progress");
      if (!isOpen) throw error;
      if (waitMs === undefined) throw unknownEnd(error);
      shell.err.line(`${error.message} Retrying; no duplicates are created.`);
      await sleep(waitMs);
    }
  }
  throw new Error("BUG: a launch that was neither answered nor given up");
}

/** What is sent cannot be taken back, so Ctrl-C is no silent end. Throws CommandError for it. */
async function orInterrupted<T>(sending: Promise<T>): Promise<T> {
  const interrupted = Promise.withResolvers<never>();
  const interrupt = () =>
    interrupted.reject(new CommandError(`Stopped waiting. ${unknown}`, again, { exit: "interrupted" }));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const one of signals) process.once(one, interrupt);
  try {
    return await Promise.race([sending, interrupted.promise]);
  } finally {
    for (const one of signals) process.off(one, interrupt);
  }
}

const unknown = "It is unknown whether anything was launched.";
const again = "Rerun the same command within 24 hours. It retries the same launch and creates no duplicates.";

function unknownEnd(cause: CommandError): CommandError {
  return new CommandError(`${cause.message} ${unknown}`, again, { cause, exit: "unreachable" });
}

function refuseDearer({ list_price_cents_per_hour: price, instance_type }: Quote, most: number): void {
  if (price <= most) return;
  throw new CommandError(
    `${instance_type} costs ${perHour(price)}, more than ${perHour(most)}.`,
    "Nothing was launched.",
    {
      exit: "does-not-fit",
    },
  );
}

function varsFrom({ env = [], envFile = [] }: LaunchOptions, environment: NodeJS.ProcessEnv): EnvVars {
  const files = envFile.map(readEnvFile);
  return Object.assign({}, ...files, Object.fromEntries(env.map((one) => envVarFrom(one, environment))));
}

/** The names that were given; of an account with one key, that one. Throws CommandError where there are several. */
async function keysFrom(shell: Shell, key: LaunchOptions["key"]): Promise<readonly string[]> {
  if (key === false) return [];
  if (Array.isArray(key)) return key;
  const { data } = await shell.client().ask((api) => api.GET("/ssh-keys", { params: { query: {} } }));
  const names = data.map(({ name }) => name);
  if (names.length > 1)
    throw usageError("Choose an SSH key to log in with.", `Add --key with one of: ${names.join(", ")}; or --no-key.`);
  if (names.length === 0)
    shell.err.line("You have no SSH key, so you can't log in to it. Run lessor keys add first, or use --password.");
  return names;
}

/** `name`, or `name:/mount/point`. */
async function fileSystemsFrom(shell: Shell, words: readonly string[]): Promise<Partial<LaunchOrder>> {
  const [names, mounts]: [string[], NonNullable<LaunchOrder["file_system_mounts"]>] = [[], []];
  for (const word of words) {
    const [, name = word, mountPoint] = /^(.+?):(\/.*)$/.exec(word) ?? [];
    const system = await fileSystemNamed(shell, name);
    if (mountPoint === undefined) names.push(system.name);
    else mounts.push({ mount_point: mountPoint, file_system_id: system.id });
  }
  return {
    ...(names.length === 0 ? {} : { file_system_names: names }),
    ...(mounts.length === 0 ? {} : { file_system_mounts: mounts }),
  };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that are undefined. */
function given<T extends Record<string, string | undefined>>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>; // as filtered
}

function textOf(file: string): string {
  try {
    return readFileSync(file === "-" ? "/dev/stdin" : file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read.`, "Check the path.", { cause: error, exit: "not-found" });
  }
}
