// Rows of the decisions (the interface, completed): what fills the specification's gaps. By section.

/** Section 2: operations. A cell is a row; terminating and terminated share one column there and have one row each here. */
export const operations = {
  "stop/booting": "accepted: stops as soon as it can",
  "stop/active": "accepted",
  "stop/stopping": "accepted, nothing new",
  "stop/stopped": "accepted, nothing new",
  "stop/terminating": "refused: instance-terminated",
  "stop/terminated": "refused: instance-terminated",
  "restart/booting": "refused",
  "restart/active": "refused",
  "restart/stopping": "refused",
  "restart/stopped": "accepted: booting",
  "restart/terminating": "refused",
  "restart/terminated": "refused",
  "terminate/booting": "accepted",
  "terminate/active": "accepted",
  "terminate/stopping": "accepted",
  "terminate/stopped": "accepted",
  "terminate/terminating": "accepted, nothing new",
  "terminate/terminated": "accepted, nothing new",
} as const;

export const batches = {
  unknown: "if one identifier is unknown (or another account's) nothing is done and the answer is 404 naming it",
  refused: "if one may not do it, nothing is done",
  duplicates: "duplicate identifiers in one call count once",
  empty: "an empty list is a 400",
  repeated: "stop and terminate can be repeated safely",
} as const;

/** Section 2: what each variant shows (the lambda edition is not served). A cell is a row. */
export const words = {
  "booting/marketplace": "booting",
  "booting/marketplace-operation": "booting",
  "booting/reference": "booting",
  "booting/direct": "rented / 1 / 0",
  "active/marketplace": "active",
  "active/marketplace-operation": "active",
  "active/reference": "active",
  "active/direct": "rented / 1 / 1",
  "stopping/marketplace": "active",
  "stopping/marketplace-operation": "stopping",
  "stopping/reference": "stopping",
  "stopping/direct": "rented / 1 / 1",
  "stopped/marketplace": "stopped",
  "stopped/marketplace-operation": "stopping",
  "stopped/reference": "stopped",
  "stopped/direct": "rented / 0 / 0",
  "terminating/marketplace": "terminated",
  "terminating/marketplace-operation": "terminated",
  "terminating/reference": "terminated",
  "terminating/direct": "terminated / 0 / 0",
  "terminated/marketplace": "terminated",
  "terminated/marketplace-operation": "terminated",
  "terminated/reference": "terminated",
  "terminated/direct": "terminated / 0 / 0",
} as const;

export const visibility = {
  lists: "M's and R's lists hold live instances and those terminated in the last hour",
  direct: "D's list holds live ones only",
  read: "a single read finds a terminated instance for 30 days",
} as const;

/** Section 4. */
export const launch = {
  "all-or-nothing": "either quantity instances have capacity held and exist, or none does",
  bounds: "quantity is 1 to 64, and within the account's quota",
  answers: "M answers uuid (the first) and uuids (all), R every id, D launches one and answers 202",
  "no-capacity":
    "no capacity: 'not enough capacity', the instance type, and a suggestion with the regions that have some",
  "unknown-names":
    "unknown instance type, region, key, image or file system: 400 object-does-not-exist naming the field",
  coupon: "a coupon that is unknown, expired, switched off or not for this product: 400 that says which",
  password: "D without sshKeys: user ubuntu, a random 15-digit password; with keys it is 0",
  "default-image": "imageId and os_image_name default to the operator's default image",
  "unsupported-image": "an image that the product cannot run: 400 'Product does not support the VM Image'",
  command: "command_startup shows the command",
  "env-vars": "an env_vars violation is a 400 that names each bad key and the rule; the value is never echoed",
  "env-vars-at-rest": "env_vars are never in plaintext in the database, a log or an error",
  "file-systems": "file systems of the wrong region are a 400, one that is attached elsewhere is refused",
  jupyter: "jupyter_token and jupyter_url are empty strings without a configured template",
} as const;

/** Section 5. */
export const money = {
  frozen: "price and coupon are frozen at launch",
  span: "usage runs from first active to the terminate request; stopped time counts",
  prices:
    "price_hr is the list price, final_price_hr the price after the coupon: numbers in the list, strings in the read",
  "validation-prices":
    "pricePerHour is the list price with six fractional digits, finalPricePerHour the discounted one",
  percent: "discountPercent 10 means ten per cent",
  groups: "productDetails has one inner array per GPU model, cheapest product first",
  "without-coupon": "coupon omitted: {coupon: null}, and every product at list price",
  "expired-coupon": "a known but expired coupon is still readable; validating it gives 400",
} as const;

/** Section 6. */
export const keys = {
  names: "names are 1 to 64 of letters, digits, space, '.', '_', '@', '-', and unique per account",
  accepted: "accepted are ed25519, ecdsa, rsa of 2048 bits or more, and the security-key kinds",
  refused: "anything else, a private key, options before the key, or more than one line: 400",
  normalized: "keys are stored normalized, the comment is kept",
  generated:
    "in R, without public_key an ed25519 pair is generated; private_key (OpenSSH) is in that one response only",
  duplicate: "M and D answer 409 on a duplicate name, R 400",
  "running-instances": "deleting a key leaves running instances as they are",
  "unknown-key": "unknown id on delete: 404, in R 400",
} as const;

/** Section 7: error classes, with the statuses of R and of M, D, control. A test produces each in each that can have it. */
export const errorClasses = {
  "invalid-parameters": "global/invalid-parameters, global/object-does-not-exist in a body: 400 | 400",
  "invalid-api-key":
    "global/invalid-api-key: no, malformed, unknown, expired or revoked token: 401 + WWW-Authenticate | 401",
  forbidden: "global/account-inactive, global/forbidden: 403 | 403",
  "spend-limit": "global/spend-limit-exceeded: 400 | 402",
  "not-found": "global/object-does-not-exist in a path or an id list, global/not-found: 404 | 404",
  conflicts: "insufficient-capacity, instance-not-stopped, instance-terminated, duplicate, conflict: 400 | 409",
  quota: "global/quota-exceeded: 400 | 403",
  "too-large": "global/payload-too-large (1 MiB): 413 | 413",
  idempotency: "idempotency/key-reused, idempotency/in-progress: 422, 409 + Retry-After | 422, 409",
  "rate-limited": "global/rate-limited: 429 + Retry-After, RateLimit, RateLimit-Policy | 429",
  defects: "global/internal-error, global/unavailable: 500, 503 + Retry-After | 500, 503",
} as const;

export const manners = {
  "request-id": "X-Request-Id is on every response",
  "error-body": "one error body in every variant, field_errors only when there are some",
  indistinguishable: "another account's object is indistinguishable from one that does not exist",
  "unknown-fields": "unknown fields are ignored; wrong types are refused, never coerced",
  tokens: "tokens have a fixed prefix, only a hash is stored, they are shown once and revocable at once",
  idempotency:
    "Idempotency-Key is honoured on every POST in every variant; quoted and unquoted values are the same key",
  paging: "lists return everything; ?limit=&cursor= pages them with Link rel=next; ?status= and ?region= filter",
  conditional: "GETs carry an ETag and answer 304",
} as const;

/** Section 8, the D part: its paths, and what its ecosystem calls beside the specification. */
export const direct = {
  "list-and-read": "GET /instance, GET /instance/{uuid}: 200; runningInstance also as a one-element runningInstances",
  launch: "POST /instance/launch: 202",
  "restart-and-terminate": "POST /instance/restart, POST /instance/terminate: 202",
  coupons: "POST /coupon/information, POST /coupon/accepted-products: 200 {coupon}, 200 {couponValidation}",
  "add-key": "POST /ssh-keys: 200",
  images: "GET /images: {images: [{vm_image_id, vm_image_name, vm_image_description}]}",
  "token-validation": 'POST /account/token/validation: {message: "Valid Token"}',
  billing:
    "GET /account/billing: {billingMethod, rechargeThresholdCents, rechargeThreshold, rechargeAmountCents, rechargeAmount}",
  keys: "GET /ssh-keys: {sshKeys: [{id, name, public_key}]}",
  "delete-key": "DELETE /ssh-keys/{id}: {result: {}}",
  "ssh-key-alias": "launch accepts sshKey as an alias of sshKeys",
  region: "instances also carry region {name, description}; ram in GiB, storage in GB; username is ubuntu",
} as const;

/** Section 9. */
export const control = {
  accounts: "operator: GET, POST /accounts; GET, PATCH /accounts/{id}",
  "account-tokens":
    "operator: GET, POST /accounts/{id}/tokens; DELETE /accounts/{id}/tokens/{token_id}; token shown once",
  regions: "operator: GET /regions; PUT, DELETE /regions/{name}",
  hosts:
    "operator: GET /hosts; GET, PUT, PATCH, DELETE /hosts/{name}; POST cordon, uncordon, drain; reads add what is free and held",
  "instance-types": "operator: GET /instance-types; PUT, DELETE /instance-types/{name}",
  images: "operator: GET /images; PUT, DELETE /images/{name}",
  coupons: "operator: GET /coupons; PUT, DELETE /coupons/{code}",
  "all-accounts": "operator: GET /instances, /instances/{id}, /capacity, /usage: all accounts",
  account: "account: GET /account; GET, POST /tokens; DELETE /tokens/{id}: its own",
  "file-systems": "account: GET, POST /file-systems; DELETE /file-systems/{id}",
  "own-records": "account: GET /instances/{id}, /usage, /events",
} as const;
