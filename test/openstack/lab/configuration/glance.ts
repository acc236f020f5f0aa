// Glance, with its images as files.

import { type Layout, ports } from "../layout.ts";
import { databaseOf, ini, tokens } from "./ini.ts";

export function glance(layout: Layout, pasteFile: string): string {
  return ini({
    DEFAULT: { bind_host: layout.address, bind_port: ports.image, workers: 0, enabled_backends: "file:file" },
    database: databaseOf("glance"),
    glance_store: { default_backend: "file" },
    file: { filesystem_store_datadir: layout.images },
    os_glance_staging_store: { filesystem_store_datadir: layout.scratch },
    os_glance_tasks_store: { filesystem_store_datadir: layout.scratch },
    oslo_concurrency: { lock_path: layout.scratch },
    paste_deploy: { flavor: "keystone", config_file: pasteFile },
    ...tokens(layout),
  });
}

/** The packages of the libraries bring none. */
export const glancePaste = ini({
  "pipeline:glance-api-keystone": { pipeline: "healthcheck versionnegotiation authtoken context rootapp" },
  "composite:rootapp": {
    "paste.composite_factory": "glance.api:root_app_factory",
    "/": "apiversions",
    "/v2": "apiv2app",
  },
  "app:apiversions": { "paste.app_factory": "glance.api.versions:create_resource" },
  "app:apiv2app": { "paste.app_factory": "glance.api.v2.router:API.factory" },
  "filter:healthcheck": { "paste.filter_factory": "oslo_middleware:Healthcheck.factory" },
  "filter:versionnegotiation": {
    "paste.filter_factory": "glance.api.middleware.version_negotiation:VersionNegotiationFilter.factory",
  },
  "filter:context": { "paste.filter_factory": "glance.api.middleware.context:ContextMiddleware.factory" },
  "filter:authtoken": {
    "paste.filter_factory": "keystonemiddleware.auth_token:filter_factory",
    delay_auth_decision: true,
  },
});
