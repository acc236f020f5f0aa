# Makes a GPU host of a fresh Debian, set up as docs/how-to/operators/set-up-libvirt.md says, but for what is only for tests. mmdebstrap runs it
# last, with the path of the new root as $1. At each run the host finds at /srv, on a disk of its own, who may log in and
# its pool.

set -eu
root=$1

echo gpu-host >"$root/etc/hostname"
printf '127.0.0.1 localhost gpu-host\n' >"$root/etc/hosts"
printf '/dev/vda / ext4 noatime 0 1\n/dev/vdb /srv ext4 noatime 0 2\n' >"$root/etc/fstab"
printf '[Match]\nName=en*\n[Network]\nDHCP=ipv4\nIPv6AcceptRA=no\nLinkLocalAddressing=no\n' \
  >"$root/etc/systemd/network/en.network"
printf 'AuthorizedKeysFile /srv/authorized_keys\nUseDNS no\n' >"$root/etc/ssh/sshd_config.d/run.conf"
# Without authentication: its port is forwarded to 127.0.0.1 of the machine that runs it, and nowhere else.
printf 'auth_tcp = "none"\n' >>"$root/etc/libvirt/libvirtd.conf"
chroot "$root" systemctl --quiet enable systemd-networkd ssh libvirtd libvirtd-tcp.socket
chroot "$root" systemctl --quiet mask systemd-networkd-wait-online libvirt-guests
rm -f "$root/etc/dpkg/dpkg.cfg.d/99mmdebstrap"
