// Rows of the specification: "Endpoints", and the launch bodies.

export const endpointsM = {
  "GET /instance-types": "200, data keyed by instance type name",
  "GET /instances": "200, data: array of instances",
  "GET /instances/{uuid}": "200, data: one instance",
  "POST /instance-operations/launch": "200, data.uuid string",
  "POST /instance-operations/terminate": "instance_ids; 202, data.terminated_instances",
  "POST /instance-operations/restart": "instance_uuids; 202, data.restarted_instances",
  "POST /instance-operations/stop": "instance_uuids; 202, data.stopped_instances",
  "GET /ssh-keys": "200, data: array of {id, name, public_key}",
  "POST /ssh-keys": "name, public_key; 200, data{id, name}",
  "DELETE /ssh-keys/{uuid}": "200, data is an empty object",
} as const;

export const launchM = {
  instance_type_name: "string, required: name of the instance type to deploy",
  region_name: "string, required: set to the value any",
  ssh_key_names: "array of string, required: names of SSH keys, may be empty",
  quantity: "integer, required: number of instances to deploy",
  file_system_names: "array of string, optional, may be empty",
  name: "string, optional: name of the instance",
  os_image_name: "string, optional: name of the OS image",
  env_vars: "object of strings, optional: for .env in the user's home; encrypted at rest",
} as const;

export const sentencesM = {
  terminate: "terminate takes instance_ids (array of string, required)",
  "restart-and-stop": "restart and stop take instance_uuids (array of string, required)",
  "ssh-key": "SSH key creation takes name and public_key (strings, required)",
} as const;

export const endpointsD = {
  inventory: "GET {base_url}/api/v1/gpu-inventory: gpu_inventory keyed by instance type name",
  list: "list running instances: runningInstances array",
  read: "read one instance: runningInstance object",
  launch: "launch: response is a string, the instance UUID",
  restart: "restart takes instanceUuids (required): response is an array of instances",
  terminate: "terminate takes instanceUuids (required): response.data.terminated_instances",
  "retrieve-coupon": "retrieve coupon takes coupon (string, optional): coupon object",
  "validate-coupon": "validate coupon takes coupon (string, optional): couponValidation object",
  "add-ssh-key": "add SSH key takes name and publicKey (strings, required): sshKey{id, name}",
} as const;

export const launchD = {
  productName: "string, required: instance type name",
  regionName: "string, required: set to the value any",
  imageId: "integer, optional: image to deploy",
  instanceName: "string, optional",
  coupon: "string, optional: coupon code to apply",
  command: "string, optional: command run at startup",
  sshKeys: "array of string, optional: SSH keys to use",
} as const;

export const endpointsR = {
  "GET /instance-types": "200, data keyed by instance type name",
  "GET /instances": "200, data: array of instances",
  "GET /instances/{id}": "200, data: one instance",
  "POST /instance-operations/launch": "200, data.instance_ids (array of string)",
  "POST /instance-operations/terminate": "instance_ids; 200",
  "POST /instance-operations/restart": "instance_ids; 200, data.restarted_instances",
  "GET /ssh-keys": "200, data: array of {id, name, public_key}",
  "POST /ssh-keys": "name; 200, data: array of {id, name, public_key}",
  "DELETE /ssh-keys/{id}": "200, no content",
} as const;

export const launchR = {
  region_name: "string",
  instance_type_name: "string",
  ssh_key_names: "array of string",
  file_system_names: "array of string",
  quantity: "number",
  name: "string",
} as const;
