# Says how virtual machines of Debian 12 start. mmdebstrap runs it before any kernel is installed, with the path of the new
# root as $1, so that the kernel's own hooks make the initial file system right, here and at every later update. $2 is the
# UUID of the root file system, $3 that of the EFI system partition.

set -eu
# Never this machine's own.
root=${1:?}

put() {
  mkdir -p "${root}${1%/*}"
  cat >"$root$1"
}

# The EFI system partition is mounted only while somebody uses it, which is while a kernel is installed: a power cut at any
# other time cannot harm it, and no boot waits for it.
put /etc/fstab <<END
UUID=$2 / ext4 errors=remount-ro 0 1
UUID=$3 /boot/efi vfat umask=0077,nofail,x-systemd.automount,x-systemd.idle-timeout=1min 0 2
END

# The last console is the one that programs of the boot write to.
case $(uname -m) in aarch64) serial=ttyAMA0 ;; *) serial=ttyS0 ;; esac
echo "root=UUID=$2 ro console=tty0 console=$serial,115200" | put /etc/kernel/cmdline

# Kernels lie in a directory of this name instead of the machine's id, which the image does not know yet.
echo debian | put /etc/kernel/entry-token
echo layout=bls | put /etc/kernel/install.conf
mkdir -p "$root/boot/efi"

# --- The initial file system. Only what finds the root: every driver of Debian's would be three times the size, to be read
# and unpacked at each boot. The machine that builds must not be asked what it needs itself (`dep`).

put /etc/initramfs-tools/conf.d/virtual-machine <<'END'
# MODULES=most, and `update-initramfs -u`, for the drivers of real machines as well.
MODULES=list
END
put /etc/initramfs-tools/hooks/virtual-machine <<'END'
#!/bin/sh
# Disks of virtual machines, on whichever bus.
set -e
if [ "${1-}" = prereqs ]; then exit 0; fi
. /usr/share/initramfs-tools/hook-functions
manual_add_modules virtio_pci virtio_mmio virtio_blk virtio_scsi sd_mod ahci ata_piix nvme ext4
END
chmod 0755 "$root/etc/initramfs-tools/hooks/virtual-machine"
