// The names of an instance: the customer's name, the default name, and its host name. Source: decisions, Identifiers
// and names, and section 10. Names are not unique (in the variants a group shares one); host names are, by their
// suffix, unless customers chose them: those are unique only within their launch. Used by order.ts, row.ts,
// names-in-use.ts and the code that renames instances.

export const maxNameLength = 64;

/**
 * The rule that a display name breaks, in a sentence; undefined if valid. Length counts code points.
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

/** The default name of an instance: `<instance type>-<8 hex>`. `id` is its UUID. */
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

/** A valid host name of one label: the name as far as host names allow, and 8 hex digits of the id, for uniqueness. */
export function hostnameFor(name: string, id: string): string {
  const tail = tailOf(id);
  const words = hyphenated(name);
  // A default name already ends like that.
  const start = words === tail ? "" : words.endsWith(`-${tail}`) ? words.slice(0, -tail.length - 1) : words;
  const cut = trimmed(start.slice(0, maxLabelLength - tail.length - 1));
  return `${cut === "" ? "instance" : cut}-${tail}`;
}

/**
 * The rule that a host name breaks, for `quantity` instances, in a sentence; undefined if valid. Only lower case,
 * because host names are case-insensitive, and customers should get back what they wrote.
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
 * The name of the `at`-th instance (from 1) of a launch of `quantity`: several are numbered. Host names, because nodes
 * that work together find each other by name, and are configured with names known before the launch; display names, if
 * the interface numbers them, because they identify instances to people.
 */
export function numbered(name: string, at: number, quantity: number): string {
  return quantity > 1 ? `${name}-${at}` : name;
}

/** Lower-case letters, digits, and a single hyphen for each run of other characters. */
function hyphenated(name: string): string {
  return trimmed(name.toLowerCase().replace(/[^a-z0-9]+/g, "-"));
}

function trimmed(label: string): string {
  return label.replace(/^-|-$/g, "");
}

/** The last 8 hexadecimal digits. In ids from before migration 0020 the first ones are time, equal within a batch. */
function tailOf(id: string): string {
  const tail = /[0-9a-f]{8}$/i.exec(id)?.[0];
  if (tail === undefined) throw new Error("BUG: an instance id that is no UUID");
  return tail.toLowerCase();
}
