// The names of an instance: the one its customer gives it, the one it has otherwise, and its host name.
// Source: decisions, Identifiers and names, and section 10. Names are not unique (in the variants a group shares one); host
// names are, by their tail, but where a customer chose them: those are unique within their launch only.
// Used by order.ts, row.ts, names-in-use.ts and what renames instances.

export const maxNameLength = 64;

/**
 * What is wrong with a display name, in a sentence; undefined: nothing. Length counts code points, as people would.
 * `quantity`: of the instances that get it with a number each (`numbered`).
 */
export function checkInstanceName(name: string, quantity = 1): string | undefined {
  const length = Array.from(name).length;
  const longest = maxNameLength - numbered("", quantity, quantity).length;
  if (length < 1 || length > longest) return `Give a name of 1 to ${longest} characters${numbersAdded(quantity)}.`;
  if (!name.isWellFormed()) return "The name must be valid Unicode: it holds half of a surrogate pair.";
  if (/\p{Cc}/u.test(name)) return "The name must not contain control characters, such as line breaks or tabs.";
  return undefined;
}

/** The name of an instance that was given none: `<instance type>-<8 hex>`. `id` is its UUID. */
export function defaultInstanceName(instanceType: string, id: string): string {
  const ending = `-${tailOf(id)}`;
  const type = Array.from(instanceType)
    .slice(0, maxNameLength - ending.length)
    .join("");
  return `${type}${ending}`;
}

/** The longest label of a host name: RFC 1123, 2.1 and RFC 1035, 2.3.4. */
export const maxLabelLength = 63;

export const hostnameRule = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** A valid host name of one label, unique by the id in its end: the name as far as host names allow, and 8 hex digits. */
export function hostnameFor(name: string, id: string): string {
  const tail = tailOf(id);
  const words = hyphenated(name);
  // A default name ends like that already.
  const start = words === tail ? "" : words.endsWith(`-${tail}`) ? words.slice(0, -tail.length - 1) : words;
  const cut = trimmed(start.slice(0, maxLabelLength - tail.length - 1));
  return `${cut === "" ? "instance" : cut}-${tail}`;
}

/**
 * What is wrong with a host name for `quantity` instances, in a sentence; undefined: nothing. Lower case alone, because
 * host names differ not by case, and what customers asked for should come back as they wrote it.
 */
export function checkHostname(hostname: string, quantity: number): string | undefined {
  const longest = maxLabelLength - numbered("", quantity, quantity).length;
  if (hostname.length <= longest && hostnameRule.test(hostname)) return undefined;
  return `Give 1 to ${longest} lower-case letters, digits and hyphens${numbersAdded(quantity)}, without a hyphen at either end.`;
}

/** Why a name has to be shorter. */
function numbersAdded(quantity: number): string {
  return quantity > 1 ? ` (-1 to -${quantity} is added, as each instance has its own)` : "";
}

/**
 * The name of the `at`-th instance (from 1) of a launch of `quantity`: several are numbered. Of host names, because nodes
 * that work together find each other by name, and names that can be told before the launch are what they are configured
 * with; of display names, where the interface numbers them, because people tell instances apart by them.
 */
export function numbered(name: string, at: number, quantity: number): string {
  return quantity > 1 ? `${name}-${at}` : name;
}

/** Lower-case letters, digits, and a single hyphen for whatever else is between them. */
function hyphenated(name: string): string {
  return trimmed(name.toLowerCase().replace(/[^a-z0-9]+/g, "-"));
}

function trimmed(label: string): string {
  return label.replace(/^-|-$/g, "");
}

/** The last 8 hexadecimal digits. In ids of before migration 0020 the first ones are time, alike for a whole batch. */
function tailOf(id: string): string {
  const tail = /[0-9a-f]{8}$/i.exec(id)?.[0];
  if (tail === undefined) throw new Error("BUG: an instance id that is no UUID");
  return tail.toLowerCase();
}
