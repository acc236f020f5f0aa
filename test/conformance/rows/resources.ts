// Rows of the specification: "Resources and their fields", one table each.

export const instanceType = {
  "instance_type.name": "string in M, D, R: name of the product, used as instance_type_name or productName on launch",
  "instance_type.description": "string in M, D, R: human-readable label",
  "instance_type.price_cents_per_hour": "integer (number in R) in M, D, R: price in cents per hour",
  "instance_type.specs.vcpu_count": "integer in M, D: CPU count",
  "instance_type.specs.vcpus": "number in R: CPU count",
  "instance_type.specs.memory_gib": "integer (number in R) in M, D, R: memory in GiB",
  "instance_type.specs.storage_gb": "integer in M, D: storage in GB",
  "instance_type.specs.storage_gib": "number in R: storage in GiB",
  regions_with_capacity_available: "array of {name, description} in M, D, R: regions that currently have capacity",
  capacity_available: "integer in M, D: available capacity",
} as const;

export const instanceTypeSentences = {
  "marketplace-envelope": "in M the listing is `data`, an object keyed by instance type name",
  "direct-envelope": "in D it is `gpu_inventory`, keyed by instance type name",
  "reference-envelope": "in R it is `data`, keyed the same way",
} as const;

export const instanceM = {
  id: "string: UUID of the instance",
  name: "string",
  ip: "string",
  status: "list and single read: one of terminated, active, stopped, booting",
  ssh_key_names: "array of string, may be empty",
  file_system_names: "array of string, may be empty",
  region: "object {name string, description string}",
  instance_type:
    "in the list name, description, price_cents_per_hour, vcpu, ram, storage; in the single read and the responses of operations name, description, price_cents_per_hour, specs{vcpu_count, memory_gib, storage_gb}",
  jupyter_token: "string: empty in single-read and operation responses",
  jupyter_url: "string: empty in single-read and operation responses",
} as const;

export const instanceMSentences = {
  "operation-status":
    "in the responses of stop, restart and terminate the status is one of terminated, active, stopping, booting",
} as const;

export const instanceR = {
  id: "string",
  name: "string",
  ip: "string",
  status: "string",
  ssh_key_names: "array of string",
  file_system_names: "array of string",
  region: "object {name, description}",
  instance_type:
    "object {name, description, gpu_description, price_cents_per_hour, specs{vcpus, memory_gib, storage_gib, gpus}}, all numbers numbers",
  hostname: "string",
} as const;

export const instanceD = {
  uuid: "string",
  name: "string",
  ip: "string",
  username: "string: login user name",
  password: "number in the shape",
  status: "string: takes the value rented",
  os_booted: "integer",
  command_startup: "string, may be empty",
  created: "ISO 8601 UTC timestamp with milliseconds",
  active: "integer",
  image: "object {id integer, name string, description string}",
  product:
    "object {name, description, gpu_count, vcpu, ram, storage, price_hr, final_price_hr}: prices are numbers in the list and decimal strings with six fractional digits in the single read",
} as const;

export const instanceDSentences = {
  "list-field": "the list field is runningInstances, an array",
  "read-field": "the single read field is runningInstance, an object",
  restart: "restart returns instances in the variant M shape with specs{vcpus, memory_gib, storage_gb}",
  terminate: "terminate returns them with instance_type reduced to name and description",
} as const;

export const sshKey = {
  id: "string in M and R",
  name: "string in M and R",
  public_key: "string in M (list) and R",
} as const;

export const sshKeySentences = {
  direct: "in D the add response is sshKey{id string, name string}",
  "private-key": "a private_key is returned once, when a key pair is generated",
} as const;

export const coupon = {
  code: "string",
  discountPercent: "number",
  deactivationDate: "string, ISO 8601 UTC timestamp",
} as const;

export const couponSentences = {
  validation:
    "couponValidation holds coupon and productDetails, an array of arrays of {name, description, pricePerHour decimal string, inventoryAvailable boolean}",
} as const;
