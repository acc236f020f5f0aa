// Addresses of platform services of public clouds: metadata, credentials, name service, machine control. Some are in
// public ranges, so the rule for special-purpose addresses does not cover them, and the others must stay blocked if an
// operator allows private targets. The default of `webhooks.denied_networks`. Used by address-rule.ts.

export const cloudPlatformNetworks: readonly string[] = [
  "168.63.129.16/32", // Azure: wire server, DHCP, DNS, health probes
  "169.254.0.0/16", // metadata and credentials of nearly all of them (RFC 3927)
  "fe80::a9fe:a9fe/128", // OpenStack: metadata over IPv6
  "fd00:ec2::/32", // AWS: metadata, DNS, time
  "fd20:ce::/32", // Google Cloud: metadata over IPv6
  "100.100.0.0/16", // Alibaba Cloud: metadata (100.100.100.200), name service
  "192.0.0.0/24", // Oracle Cloud Classic: metadata (192.0.0.192)
  "161.26.0.0/16", // IBM Cloud: name service, time, mirrors, only for its machines
  "166.8.0.0/14", // IBM Cloud: endpoints of its services, only for its machines
  "199.36.153.4/30", // Google Cloud: restricted.googleapis.com
  "199.36.153.8/30", // Google Cloud: private.googleapis.com
  "34.126.0.0/18", // Google Cloud: private access to its services
  "2600:2d00:2:1000::/64", // Google Cloud: restricted.googleapis.com
  "2600:2d00:2:2000::/64", // Google Cloud: private.googleapis.com
];
