// The firewall of the fixed world's customer: rules of the account, and rulesets.

import type { Shape } from "../../../../src/client/client.ts";
import { regions } from "./catalog.ts";
import { ago, day, idOf } from "./moments.ts";

type Ruleset = Shape<"FirewallRuleset">;

export const firewallRules: Ruleset["rules"] = [
  { protocol: "tcp", port_range: [22, 22], source_network: "0.0.0.0/0", description: "SSH from anywhere" },
  { protocol: "tcp", port_range: [8000, 8100], source_network: "203.0.113.0/24", description: "Model servers, office" },
  { protocol: "icmp", source_network: "0.0.0.0/0", description: "" },
];

const [frankfurt, virginia] = regions;
if (frankfurt === undefined || virginia === undefined) throw new Error("BUG: the fixed world has lost its regions");

export const firewallRulesets: Ruleset[] = [
  {
    id: idOf("ruleset", 1),
    name: "web servers",
    region: virginia,
    rules: [
      { protocol: "tcp", port_range: [80, 80], source_network: "0.0.0.0/0", description: "HTTP" },
      { protocol: "tcp", port_range: [443, 443], source_network: "0.0.0.0/0", description: "HTTPS" },
    ],
    instance_ids: [idOf("instance", 2)],
    created_at: ago(12 * day),
  },
  {
    id: idOf("ruleset", 2),
    name: "private network",
    region: frankfurt,
    rules: [{ protocol: "all", port_range: [1, 65_535], source_network: "10.0.0.0/8", description: "VPN" }],
    instance_ids: [],
    created_at: ago(3 * day),
  },
];
