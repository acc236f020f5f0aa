# What only virtual machines of Debian 12 need. mmdebstrap runs it before debian-12.sh, with the path of the new root as $1;
# debian-12-kernel.sh ran before the packages came. Leaves what belongs on the EFI system partition in a directory `esp`
# beside the root, for disk.ts.

set -eu
# Never this machine's own.
root=${1:?}

put() {
  mkdir -p "${root}${1%/*}"
  cat >"$root$1"
}

# --- The network: DHCP on every card, whatever it is called. Cards get other names when a GPU is added or taken away, so
# nothing may be written down at the first boot, which cloud-init would do.

put /etc/systemd/network/50-dhcp.network <<'END'
[Match]
Type=ether
Name=en* eth*
# No bridges, no pairs of containers.
Kind=!*

[Network]
DHCP=yes
# The hypervisor gives addresses that nobody else has. Asking for that takes a second or two, before the network counts as up.
IPv6DuplicateAddressDetection=0

[DHCPv4]
# As DHCP knows a machine without systemd: an address reserved for a MAC stays with it.
ClientIdentifier=mac
END
put /etc/systemd/system/systemd-networkd-wait-online.service.d/any.conf <<'END'
[Service]
ExecStart=
ExecStart=/lib/systemd/systemd-networkd-wait-online --any --timeout=30
END
chroot "$root" systemctl --quiet enable systemd-networkd.service systemd-resolved.service
# What DHCP told, without a resolver between.
ln -sf ../run/systemd/resolve/resolv.conf "$root/etc/resolv.conf"

# --- What cloud-init asks: disks only. Anything on the network would be waited for where it is not.

put /etc/cloud/cloud.cfg.d/91_lessor_kind.cfg <<'END'
datasource_list: [NoCloud, ConfigDrive, None]
network: { config: disabled }
END

# --- What is free goes back to the host.

chroot "$root" systemctl --quiet enable fstrim.timer

# --- The boot loader. Its package installs it only on a disk that is there, and updates it there later: the unit that does
# so at every boot as well is not needed.

ln -sf /dev/null "$root/etc/systemd/system/systemd-boot-update.service"
esp=$root/boot/efi
mkdir -p "$esp/EFI/BOOT" "$esp/EFI/systemd" "$esp/loader/entries" "$esp/debian"
for loader in "$root"/usr/lib/systemd/boot/efi/systemd-boot*.efi; do
  name=${loader##*/}
  cp "$loader" "$esp/EFI/systemd/$name"
  # What firmware starts that was told nothing: BOOTX64.EFI.
  cp "$loader" "$esp/EFI/BOOT/BOOT$(echo "${name#systemd-boot}" | tr '[:lower:]' '[:upper:]')"
done
# Any key while the machine starts shows the menu all the same.
echo 'timeout 0' >"$esp/loader/loader.conf"
echo type1 >"$esp/loader/entries.srel"
for kernel in "$root"/boot/vmlinuz-*; do
  version=${kernel##*/vmlinuz-}
  chroot "$root" kernel-install add "$version" "/boot/vmlinuz-$version" "/boot/initrd.img-$version"
done
# The loader looks for a kernel where it is on its own partition, which kernel-install tells from a mount. Here is none.
sed -i 's| /boot/efi/| /|' "$esp"/loader/entries/*.conf
mv "$esp" "$root/../esp"
mkdir "$esp"
