// Cinder with volumes that are only names and sizes (python/lab_cinder_driver.py). On a bus of its own, in memory: nothing
// but its own three services talks there, and those are one process.

import { type Layout, ports, urlOf } from "../layout.ts";
import { databaseOf, ini, tokens } from "./ini.ts";

/** The name of the backend, and of the volume type that is the default. */
export const volumeType = "lab";

export function cinder(layout: Layout, files: { readonly paste: string; readonly filters: string }): string {
  const { keystone_authtoken } = tokens(layout);
  return ini({
    DEFAULT: {
      state_path: layout.state,
      my_ip: layout.address,
      osapi_volume_listen: layout.address,
      osapi_volume_listen_port: ports.volume,
      osapi_volume_workers: 1,
      api_paste_config: files.paste,
      resource_query_filters_file: files.filters,
      enabled_backends: volumeType,
      default_volume_type: volumeType,
      auth_strategy: "keystone",
      transport_url: "fake:/",
      glance_api_servers: urlOf(layout, "image"),
      quota_volumes: -1,
      quota_snapshots: -1,
      quota_gigabytes: -1,
      report_interval: 3,
      service_down_time: 30,
    },
    [volumeType]: { volume_driver: "lab_cinder_driver.LabVolumeDriver", volume_backend_name: volumeType },
    database: databaseOf("cinder"),
    coordination: { backend_url: `file://${layout.scratch}` },
    oslo_concurrency: { lock_path: layout.scratch },
    oslo_messaging_notifications: { driver: "noop" },
    // Only Nova, which shows a token of its own too, may end an attachment that a server uses.
    keystone_authtoken: { ...keystone_authtoken, service_token_roles: "admin", service_token_roles_required: true },
  });
}

/** Which properties of volumes may be filtered by. */
export const cinderFilters = JSON.stringify({ volume: ["name", "status", "metadata", "id", "bootable"] });

/** The packages of the libraries bring none. */
export const cinderPaste = ini({
  "composite:osapi_volume": { use: "call:cinder.api:root_app_factory", "/": "apiversions", "/v3": "volumes" },
  "composite:volumes": {
    use: "call:cinder.api.middleware.auth:pipeline_factory",
    keystone: "request_id faultwrap sizelimit authtoken keystonecontext apiv3",
  },
  "pipeline:apiversions": { pipeline: "request_id faultwrap versionsapp" },
  "filter:request_id": { "paste.filter_factory": "oslo_middleware.request_id:RequestId.factory" },
  "filter:faultwrap": { "paste.filter_factory": "cinder.api.middleware.fault:FaultWrapper.factory" },
  "filter:sizelimit": { "paste.filter_factory": "oslo_middleware.sizelimit:RequestBodySizeLimiter.factory" },
  "filter:keystonecontext": { "paste.filter_factory": "cinder.api.middleware.auth:CinderKeystoneContext.factory" },
  "filter:authtoken": { "paste.filter_factory": "keystonemiddleware.auth_token:filter_factory" },
  "app:apiv3": { "paste.app_factory": "cinder.api.v3.router:APIRouter.factory" },
  "app:versionsapp": { "paste.app_factory": "cinder.api.versions:Versions.factory" },
});
