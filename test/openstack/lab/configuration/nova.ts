// Nova: its own settings, and of each host its GPUs as Placement is to see them.

import { type Bus, type Layout, ports, urlOf } from "../layout.ts";
import { connection, databaseOf, ini, signIn, tokens } from "./ini.ts";

/** How Nova's services reach each other; also stored in the database, as a cell's. */
export function transportUrl(bus: Bus): string {
  return bus === "rabbit" ? `rabbit://guest:guest@127.0.0.1:${ports.bus}/` : "fake:/";
}

export function nova(layout: Layout, bus: Bus, pasteFile: string): string {
  return ini({
    DEFAULT: {
      state_path: layout.state,
      my_ip: layout.address,
      compute_driver: "lab.LabDriver",
      osapi_compute_listen: layout.address,
      osapi_compute_listen_port: ports.compute,
      osapi_compute_workers: 1,
      enabled_apis: "osapi_compute",
      report_interval: 3,
      // Longer than a busy machine keeps a service from its heartbeat.
      service_down_time: 30,
      periodic_fuzzy_delay: 0,
      update_resources_interval: 10,
      sync_power_state_interval: 20,
      initial_cpu_allocation_ratio: "1.0",
      initial_ram_allocation_ratio: "1.0",
      transport_url: transportUrl(bus),
    },
    wsgi: { api_paste_config: pasteFile },
    api_database: databaseOf("nova_api"),
    database: databaseOf("nova_cell1"),
    conductor: { workers: 1 },
    scheduler: { workers: 1, discover_hosts_in_cells_interval: 3 },
    filter_scheduler: {
      enabled_filters:
        "ComputeFilter,ComputeCapabilitiesFilter,ImagePropertiesFilter,ServerGroupAntiAffinityFilter,ServerGroupAffinityFilter,PciPassthroughFilter",
    },
    pci: {
      alias: JSON.stringify({ name: "h200", vendor_id: "10de", product_id: "2335", device_type: "type-PCI" }),
      device_spec: JSON.stringify({ vendor_id: "10de", product_id: "2335" }),
      report_in_placement: true,
    },
    compute: { provider_config_location: `${layout.settings}/providers` },
    quota: { instances: -1, cores: -1, ram: -1 },
    vnc: { enabled: false },
    oslo_concurrency: { lock_path: layout.scratch },
    notifications: { notification_format: "versioned", notify_on_state_change: "vm_and_task_state" },
    oslo_messaging_notifications: { driver: bus === "rabbit" ? "messagingv2" : "noop" },
    glance: { endpoint_override: urlOf(layout, "image") },
    placement: signIn(layout),
    neutron: signIn(layout),
    cinder: { ...signIn(layout), endpoint_template: `${urlOf(layout, "volume")}/v3/%(project_id)s` },
    // Without it Cinder takes Nova for a user, who may not end an attachment that a server uses.
    service_user: { ...signIn(layout), send_service_user_token: true },
    ...tokens(layout),
  });
}

/** Of a service in a process of its own: which host it is on. */
export function ofHost(layout: Layout, name: string): string {
  return ini({ DEFAULT: { host: name }, compute: { provider_config_location: providersOf(layout, name) } });
}

/** The directory in which a host finds what it has besides processors, memory and disks. */
export function providersOf({ settings }: Layout, host: string): string {
  return `${settings}/providers/${host}`;
}

/** A file of it, in JSON, which is YAML. */
export const gpuClass = JSON.stringify({
  meta: { schema_version: "1.0" },
  providers: [
    {
      identification: { uuid: "$COMPUTE_NODE" },
      inventories: {
        additional: [
          {
            CUSTOM_GPU_H200: { total: 8, reserved: 0, min_unit: 1, max_unit: 8, step_size: 1, allocation_ratio: 1 },
          },
        ],
      },
      traits: { additional: ["CUSTOM_GPU_H200_SXM"] },
    },
  ],
});

export const cell0 = connection("nova_cell0");

/** The packages of the libraries bring none. */
export const novaPaste = ini({
  "composite:osapi_compute": {
    use: "call:nova.api.openstack.urlmap:urlmap_factory",
    "/": "versions",
    "/v2.1": "version21",
    "/v2.1/+": "v21",
  },
  "composite:v21": {
    use: "call:nova.api.auth:pipeline_factory_v21",
    keystone: "compute_req_id faultwrap request_log sizelimit authtoken keystonecontext app21",
  },
  "pipeline:versions": { pipeline: "faultwrap versionsapp" },
  "pipeline:version21": { pipeline: "faultwrap versions21app" },
  "filter:compute_req_id": { "paste.filter_factory": "nova.api.compute_req_id:ComputeReqIdMiddleware.factory" },
  "filter:request_log": { "paste.filter_factory": "nova.api.openstack.requestlog:RequestLog.factory" },
  "filter:faultwrap": { "paste.filter_factory": "nova.api.openstack:FaultWrapper.factory" },
  "filter:sizelimit": { "paste.filter_factory": "oslo_middleware:RequestBodySizeLimiter.factory" },
  "filter:keystonecontext": { "paste.filter_factory": "nova.api.auth:NovaKeystoneContext.factory" },
  "filter:authtoken": { "paste.filter_factory": "keystonemiddleware.auth_token:filter_factory" },
  "app:app21": { "paste.app_factory": "nova.api.openstack.compute:APIRouterV21.factory" },
  "app:versionsapp": { "paste.app_factory": "nova.api.openstack.compute.versions:Versions.factory" },
  "app:versions21app": { "paste.app_factory": "nova.api.openstack.compute.versions:VersionsV2.factory" },
});
