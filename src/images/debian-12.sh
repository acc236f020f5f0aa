# Fits a fresh Debian 12 of any kind for being rented. mmdebstrap runs it last, with the path of the new root as $1;
# recipe.ts has the packages. No user, no password and nothing that tells one machine from another may stay in it: the
# service's own boot script (engines/guest) makes the login user and the host keys in the guest.

set -eu
# Never this machine's own.
root=${1:?}

put() {
  mkdir -p "${root}${1%/*}"
  cat >"$root$1"
}

# --- What must be different in each machine.

rm -f "$root"/etc/ssh/ssh_host_*key* "$root/var/lib/dbus/machine-id" "$root/var/lib/systemd/random-seed"
# Empty, not absent: systemd makes one at the first boot without treating all units as new.
: >"$root/etc/machine-id"
echo debian >"$root/etc/hostname"
printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' >"$root/etc/hosts"

# --- What cloud-init asks.

put /etc/cloud/cloud.cfg.d/90_lessor.cfg <<'END'
apt: { preserve_sources_list: true }
END
# No search for a reason to run at all.
put /etc/cloud/ds-identify.cfg <<'END'
policy: enabled
END

# --- The SSH server.

put /etc/ssh/sshd_config.d/10-image.conf <<'END'
UseDNS no
END

# --- Language. Clients send theirs, mostly en_US.UTF-8, and programs complain of one that is not there.

echo 'en_US.UTF-8 UTF-8' >"$root/etc/locale.gen"
chroot "$root" locale-gen >/dev/null
echo 'LANG=C.UTF-8' >"$root/etc/default/locale"

# --- Units that do nothing here but take their time: snapshots of LVM volumes (1.2 s at a boot of a container). Timers that
# users may build upon (apt, tmpfiles, logs) stay.

for unit in e2scrub_all.timer e2scrub_reap.service; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
rm -f "$root/etc/systemd/system/timers.target.wants/e2scrub_all.timer" \
  "$root/etc/systemd/system/multi-user.target.wants/e2scrub_reap.service"

# --- What the build left.

# Left out of this image only: what the renter installs comes whole.
rm -f "$root/etc/dpkg/dpkg.cfg.d/99mmdebstrap" "$root/etc/apt/apt.conf.d/99mmdebstrap"
rm -rf "$root"/var/cache/ldconfig/* "$root"/var/cache/debconf/*-old "$root"/var/lib/dpkg/*-old "$root"/etc/*- \
  "$root"/var/log/apt/* "$root"/var/log/alternatives.log "$root"/var/log/bootstrap.log "$root"/var/log/dpkg.log
