# Makes a light guest of a fresh Debian. mmdebstrap runs it last, with the path of the new root as $1; build.ts gives the
# directory of this file as $2, and as $3 the directory for the kernel, which is booted directly and is in no package of
# the guest.

set -eu
root=$1 here=$2 kernel=$3

cp -R --no-preserve=ownership "$here/root/." "$root"

# --- busybox, where Debian's own program is not there.

for name in init poweroff halt reboot shutdown; do rm -f "$root/sbin/$name"; done
ln -s /bin/busybox "$root/sbin/init"
for name in poweroff halt reboot shutdown; do ln -s /etc/light/down "$root/sbin/$name"; done
for name in $("$root/bin/busybox" --list); do
  for directory in bin sbin usr/bin usr/sbin usr/local/bin; do
    if [ -e "$root/$directory/$name" ] || [ -L "$root/$directory/$name" ]; then continue 2; fi
  done
  case $name in dpkg | dpkg-deb | rpm | busybox | linuxrc) continue ;; esac
  ln -s /bin/busybox "$root/usr/local/bin/$name"
done

# --- As in the image that is rented: nothing that tells one machine from another.

rm -f "$root"/etc/ssh/ssh_host_*key* "$root/etc/resolv.conf"
: >"$root/etc/resolv.conf"
echo debian >"$root/etc/hostname"
printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' >"$root/etc/hosts"
rm -rf "$root"/var/log/* "$root/etc/dpkg/dpkg.cfg.d/99mmdebstrap"

# --- The kernel.

cd "$kernel"
APT_CONFIG=$MMDEBSTRAP_APT_CONFIG
export APT_CONFIG
# The package that the name without a version depends on.
package=$(apt-cache depends --important linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p')
apt-get download "$package"
dpkg-deb --extract "$package"_*.deb .
