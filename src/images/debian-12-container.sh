# What only containers of Debian 12 need. mmdebstrap runs it before debian-12.sh, with the path of the new root as $1.

set -eu
# Never this machine's own.
root=${1:?}

# The DHCP client writes it.
rm -f "$root/etc/resolv.conf"
: >"$root/etc/resolv.conf"

# Where cloud-init may find what it is told: each further source costs time at every boot.
echo 'datasource_list: [LXD, NoCloud, None]' >"$root/etc/cloud/cloud.cfg.d/91_lessor_kind.cfg"

# Units that do nothing in a container but take its time: modules of the kernel, formats of programs (fails).
for unit in systemd-binfmt.service systemd-modules-load.service modprobe@.service \
  sys-kernel-config.mount sys-kernel-debug.mount sys-kernel-tracing.mount; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
