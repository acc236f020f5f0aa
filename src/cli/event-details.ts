// The subject and the details of an event, as `lessor events` prints them: `name=training state=active`. Pure.

/**
 * What people read of an event, by the object that its data has. Of others, and of data without an object, all but `forPrograms`.
 * In the order in which it is printed.
 */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  launch: ["id", "instance_type", "spot", "region", "quantity", "until", "blocked_by", "reason", "instance_ids"],
  reservation: ["name", "instance_type", "region", "quantity", "from", "to", "reason"],
  capacity: ["instance_type", "region", "available"],
  failure: ["code", "message"],
};

/** People read the names. */
const forPrograms = ["instance_id", "generation", "notice_ids"];

/** Values that say nothing are left out. */
export function detailsOf({ data }: { readonly data: object }): string {
  return Object.entries<unknown>({ ...data })
    .filter(([name]) => !forPrograms.includes(name))
    .flatMap(([name, value]) => {
      const shown = fieldsOf[name];
      if (shown === undefined || !isObject(value)) return [[name, value] as const];
      return shown.map((field) => [name === "failure" ? `failure_${field}` : field, value[field]] as const);
    })
    .filter(([, value]) => !isNothing(value))
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(" ");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}

function textOf(value: unknown): string {
  if (!Array.isArray(value)) return isObject(value) ? JSON.stringify(value) : String(value);
  return value.every((one) => typeof one === "string") ? value.join(",") : JSON.stringify(value);
}
