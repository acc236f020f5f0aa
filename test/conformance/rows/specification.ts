// Rows of the specification that are no table of a resource or of endpoints: what the service does, states,
// authentication, errors, limits, versioning.

export const variants = {
  marketplace: "M: paths under /api/vm_marketplace, snake_case fields, responses wrapped in data",
  direct: "D: base address {base_url}/api/v1, camelCase request fields, responses wrapped in response",
  reference: "R 1.0.3: short paths (/instances, /ssh-keys and so on), snake_case fields, responses wrapped in data",
  "direct-apart": "customer traffic for D goes to {base_url}, not to {marketplace_base_url}",
} as const;

export const service = {
  "1": "a caller lists the instance types: each a configuration with a price per hour and the regions that have capacity",
  "2": "a caller launches one or more instances of an instance type",
  "3": "a caller lists running instances and reads one instance",
  "4": "a caller stops, restarts and terminates instances",
  "4-stop": "stopping halts an instance without destroying data, and billing continues",
  "4-terminate": "termination removes the instance, destroys all its data and ends billing",
  "5": "a caller lists, adds and deletes SSH keys; keys are attached to instances at launch by name",
  "6": "D offers coupons, applied when an instance is deployed; a caller can look one up and validate it against products",
  "7": "every endpoint requires a bearer API token",
} as const;

export const transitions = {
  restart:
    "stopped, restart: only for stopped instances; booting in the response; the instance goes from stopped to active",
  stop: "any instance, stop: stopping in the response; data is kept, billing continues",
  terminate: "any instance, terminate: terminated in the response; removed, all data destroyed, billing ends",
} as const;

export const statusValues = {
  "list-and-read": "list and single read (M): terminated, active, stopped, booting",
  operations: "stop, restart and terminate responses (M): terminated, active, stopping, booting",
  direct: "D: rented appears in the shape",
} as const;

export const authentication = {
  "1": "every endpoint of every variant requires an API token sent as a bearer token",
  "2": "header Authorization, value Bearer <API_TOKEN>",
  "3": "a token is obtained by asking the provider, or by provisioning a key in the account's API settings",
  "4": "R documents 401 and 403 as possible results on every operation",
  "5": "token lifetime and scopes are not shown (decided: optional expiry; scopes read, write, operator)",
} as const;

/** "Variant R status codes per operation". */
export const errorsR = {
  "GET /instance-types": "401, 403",
  "GET /instances": "401, 403",
  "GET /instances/{id}": "401, 403, 404",
  "POST /instance-operations/launch": "400, 401, 403, 404, 500",
  "POST /instance-operations/terminate": "400, 401, 403, 404, 500",
  "POST /instance-operations/restart": "400, 401, 403, 404, 500",
  "GET /ssh-keys": "401, 403",
  "POST /ssh-keys": "400, 401, 403",
  "DELETE /ssh-keys/{id}": "400, 401, 403",
} as const;

export const errorRules = {
  "1": "a request without a valid token is answered with 401 or 403 in variant R",
  "2": "failure codes of M and D are not shown (decided: the second column of the error table)",
  "3": "the shape of an error body is not shown (decided: one error body in every variant)",
  "4": "the status of an env_vars rejection is not shown, such values are rejected (decided: 400)",
  "5": "only stopped instances may be restarted, the error is not shown (decided: 409, in R 400)",
} as const;

/** "Limits of env_vars in the variant M launch body". */
export const limits = {
  "key-pattern": "keys match ^[A-Za-z_][A-Za-z0-9_]{0,63}$",
  "reserved-keys": "PATH, HOME, USER, SHELL, PWD, OLDPWD, IFS, PS1, PS2, TERM, LANG, LC_ALL are rejected",
  "reserved-prefixes": "keys beginning with LD_ or MC_ are rejected",
  entries: "at most 64 entries",
  "value-size": "one value has at most 4 KiB",
  "total-size": "all have at most 16 KiB",
  values: "values must not contain NUL bytes",
} as const;

export const versioning = {
  marketplace: "variant M is interface version 1.0.0",
  "marketplace-schemas": "the schema names of variant M carry the suffix V1",
  direct: "variant D carries the version in its path prefix /api/v1",
  reference: "variant R is published as version 1.0.3",
} as const;
