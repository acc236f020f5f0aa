// Neutron without agents: python/lab_neutron.py binds every port, and nothing is plugged anywhere.

import { type Layout, ports } from "../layout.ts";
import { databaseOf, ini, signIn, tokens } from "./ini.ts";

export function neutron(layout: Layout, pasteFile: string): string {
  return ini({
    DEFAULT: {
      bind_host: layout.address,
      bind_port: ports.network,
      state_path: layout.state,
      core_plugin: "ml2",
      service_plugins: "router",
      auth_strategy: "keystone",
      api_workers: 0,
      rpc_workers: 0,
      rpc_state_report_workers: 0,
      api_paste_config: pasteFile,
      dhcp_agent_notification: false,
      notify_nova_on_port_status_changes: true,
      notify_nova_on_port_data_changes: true,
      // There are no agents to talk to.
      transport_url: "fake:/",
    },
    database: databaseOf("neutron"),
    oslo_concurrency: { lock_path: layout.scratch },
    ml2: {
      type_drivers: "local,flat",
      tenant_network_types: "local",
      mechanism_drivers: "lessor_lab",
      extension_drivers: "port_security",
    },
    ml2_type_flat: { flat_networks: "public" },
    quotas: { quota_port: -1, quota_security_group: -1, quota_security_group_rule: -1, quota_floatingip: -1 },
    securitygroup: { enable_security_group: true },
    nova: signIn(layout),
    ...tokens(layout),
  });
}

/** The packages of the libraries bring none. */
export const neutronPaste = ini({
  "composite:neutron": { use: "egg:Paste#urlmap", "/": "versions", "/v2.0": "v2_0" },
  "pipeline:v2_0": { pipeline: "request_id catch_errors authtoken keystonecontext extensions app" },
  "pipeline:versions": { pipeline: "versionsapp" },
  "filter:request_id": { "paste.filter_factory": "oslo_middleware:RequestId.factory" },
  "filter:catch_errors": { "paste.filter_factory": "oslo_middleware:CatchErrors.factory" },
  "filter:keystonecontext": { "paste.filter_factory": "neutron.auth:NeutronKeystoneContext.factory" },
  "filter:authtoken": { "paste.filter_factory": "keystonemiddleware.auth_token:filter_factory" },
  "filter:extensions": {
    "paste.filter_factory": "neutron.api.extensions:plugin_aware_extension_middleware_factory",
  },
  "app:versionsapp": { "paste.app_factory": "neutron.pecan_wsgi.app:versions_factory" },
  "app:app": { "paste.app_factory": "neutron.api.v2.router:APIRouter.factory" },
});
