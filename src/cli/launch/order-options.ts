// The options of a launch, as commander parses them, and the request body made from them. Used by commands/launch.ts;
// launching.ts sends it.

import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { paths } from "../../client/control-api.ts";
import { CommandError, usageError } from "../command-error.ts";
import { rulesetNamed } from "../commands/firewall.ts";
import { fileSystemNamed } from "../commands/fs.ts";
import { idleRuleFrom } from "../idle-rule.ts";
import { centsIn, secondsIn, wholeNumber } from "../output/units.ts";
import { reservationNamed } from "../reservations.ts";
import { collect, type Shell } from "../shell.ts";
import { tagFrom } from "../tags.ts";
import { type EnvVars, envVarFrom, readEnvFile, refuseBadVars } from "./env-file.ts";
import { orderLike } from "./like.ts";

export type LaunchOrder = paths["/instances"]["post"]["requestBody"]["content"]["application/json"];

/** One that names its instance type, also with `like`: its price is shown before. */
export type TypedOrder = LaunchOrder & { readonly instance_type: string };

export interface LaunchOptions {
  readonly like?: string;
  readonly name?: string;
  readonly region?: string;
  readonly quantity: string;
  readonly hostSelector?: string;
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
  /** False: --no-spot. Undefined: as the other instance. */
  readonly spot?: boolean;
  readonly maxLifetime?: string;
  readonly idle?: string;
  /** Its name or id. */
  readonly reservation?: string;
  /** A span of time. */
  readonly wait?: string;
}

/** Adds the options of an order to the command. */
export function withOrderOptions(command: Command): Command {
  return command
    .option("--like <instance>", "with the type, region, image, keys, tags and so on of another instance")
    .option("--name <name>", "its name; several instances are numbered: name-1, name-2")
    .option("--region <region>", "the region; otherwise the best region with capacity")
    .option("--quantity <number>", "how many, all or none", "1")
    .option("--host-selector <labels>", "for operators: only on hosts with these labels: key=value or key")
    .option("--image <image>", "the image; otherwise the default one")
    .option("--key <ssh-key>", "an SSH key to log in with; may be repeated (default: your only SSH key)", collect)
    .option("--no-key", "without SSH keys")
    .option("--password", "without SSH keys: log in with a password, which lessor show shows", false)
    .option("--fs <file-system>", "attach a file system, also as name:/mount/point; may be repeated", collect)
    .option("--tag <tag>", "set a tag, key=value; may be repeated", collect)
    .option("--firewall <ruleset>", "add the rules of a ruleset; may be repeated", collect)
    .option("--env <variable>", "NAME, with its value in this shell, or NAME=value; may be repeated", collect)
    .option("--env-file <file>", "variables for ~/.env, one NAME=value a line; may be repeated", collect)
    .option("--startup <command>", "run a command once at the first boot, as root")
    .option("--user-data <file>", "user data for cloud-init; - reads standard input")
    .option("--coupon <coupon>", "the code of a coupon")
    .option("--max-price <amount>", "the maximum price per hour and instance, before a coupon")
    .option("--spot", "at the spot price: evicted after a notice when others need what it holds")
    .option("--no-spot", "with --like of a spot instance: not as one")
    .option("--max-lifetime <span>", "terminate it after this time, such as 8h or 2d; none: never")
    .option("--wait <span>", "if there is no room, wait for it so long, such as 8h or 2d, and then launch")
    .option(
      "--reservation <reservation>",
      "with the capacity of a reservation, which pays for it; its type is the default",
    )
    .option("--idle <rule>", "when its GPUs are not used for so long: 30m:notify, 1h:stop or 2h:terminate");
}

/** The request body, without omitted options. Throws CommandError before anything is launched. */
export async function orderFrom(shell: Shell, type: string | undefined, options: LaunchOptions): Promise<TypedOrder> {
  const { name, region, quantity, image, startup, userData, coupon, maxPrice, maxLifetime } = options;
  const vars = varsFrom(options, shell.env);
  refuseBadVars(vars);
  const count = wholeNumber("--quantity", 1)(quantity);
  const like = options.like === undefined ? {} : await orderLike(shell, options.like, count);
  const reserved = options.reservation === undefined ? undefined : await reservationNamed(shell, options.reservation);
  const instanceType = type ?? reserved?.instance_type ?? like.instance_type;
  if (instanceType === undefined) throw usageError("Name an instance type.", "See lessor types, or use --like.");
  const order: TypedOrder = {
    ...like,
    ...(reserved === undefined ? {} : { reservation_id: reserved.id, region: reserved.region }),
    instance_type: instanceType,
    quantity: count,
    ...given({ name, region, image, coupon, command: startup }),
    ...(Object.keys(vars).length === 0 ? {} : { env_vars: vars }),
    ...(userData === undefined ? {} : { user_data: textOf(userData) }),
    ...(options.hostSelector === undefined ? {} : { host_selector: options.hostSelector }),
    ...(maxPrice === undefined ? {} : { max_price_cents_per_hour: centsIn(maxPrice) }),
    ...(options.spot === undefined ? {} : { spot: options.spot }),
    ...(maxLifetime === undefined
      ? {}
      : { max_lifetime_seconds: maxLifetime === "none" ? null : secondsIn(maxLifetime) }),
    ...(options.idle === undefined ? {} : { idle_rule: idleRuleFrom(options.idle) }),
    ...(options.tag === undefined ? {} : { tags: options.tag.map(tagFrom) }),
    ...(await loginFrom(shell, options)),
  };
  const rulesets = await Promise.all((options.firewall ?? []).map((word) => rulesetNamed(shell, word)));
  if (rulesets.length > 0) order.firewall_ruleset_ids = rulesets.map(({ id }) => id);
  if (options.fs === undefined) return order;
  const { file_system_mounts: _, ...others } = order;
  return { ...others, ...(await fileSystemsFrom(shell, options.fs)) };
}

/** SSH keys or a password, as given; otherwise as the other instance has it, or the only key. Throws CommandError. */
async function loginFrom(
  shell: Shell,
  { key, password, like }: LaunchOptions,
): Promise<Pick<LaunchOrder, "ssh_key_names" | "password_without_keys">> {
  if (password) return { ssh_key_names: [], password_without_keys: true };
  const isGiven = Array.isArray(key) || key === false;
  if (like !== undefined && !isGiven) return {};
  return { ssh_key_names: [...(await keysFrom(shell, key))], password_without_keys: false };
}

function varsFrom({ env = [], envFile = [] }: LaunchOptions, environment: NodeJS.ProcessEnv): EnvVars {
  const files = envFile.map(readEnvFile);
  return Object.assign({}, ...files, Object.fromEntries(env.map((one) => envVarFrom(one, environment))));
}

/** The given names; by default the account's only key. Throws CommandError if there are several. */
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
