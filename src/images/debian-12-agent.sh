# The agent for metrics (agent.py) in any Debian 12. mmdebstrap runs it before debian-12.sh, with the path of the new root as
# $1. It runs with no more rights than it needs, without network, and is never waited for at a boot.

set -eu
# Never this machine's own.
root=${1:?}
here=$(dirname "$0")

put() {
  mkdir -p "${root}${1%/*}"
  cat >"$root$1"
}

put /usr/lib/lessor/agent.py <"$here/agent.py"
put /etc/systemd/system/lessor-agent.service <<'END'
[Unit]
Description=Reports metrics of this machine to its hypervisor
Documentation=https://github.com/lessor/lessor

[Service]
ExecStart=/usr/bin/python3 -I /usr/lib/lessor/agent.py
Restart=always
RestartSec=30
Nice=10
# With the tools of the GPUs' vendors, which it runs.
MemoryMax=256M
RuntimeDirectory=lessor
ProtectSystem=strict
ProtectHome=yes
NoNewPrivileges=yes
# What GPU tools use to find each other's drivers; nothing of a network.
RestrictAddressFamilies=AF_UNIX AF_NETLINK

[Install]
WantedBy=multi-user.target
END
chroot "$root" systemctl --quiet enable lessor-agent.service
