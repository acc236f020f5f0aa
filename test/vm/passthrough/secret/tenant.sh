#!/bin/busybox sh
# What a tenant's guest does with the GPU that it was given: tells what it finds in its memory, and leaves a secret there.
# A line each on its console, in the words that tenants.ts waits for. The first program of the guest, before a driver of
# its own could reset the device; so nothing comes after it. tenants.ts gives it the words that stand in capital letters.

busybox=/bin/busybox
$busybox mkdir -p /proc /sys /dev
$busybox mount -t devtmpfs dev /dev
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sys /sys

say() { echo "tenant: $*"; }

for word in $($busybox cat /proc/cmdline); do
  case $word in
    secret=*) secret=${word#secret=} ;;
  esac
done
for device in /sys/bus/pci/devices/*; do
  read -r vendor <"$device/vendor"
  read -r product <"$device/device"
  [ "$vendor:$product" != VENDOR:PRODUCT ] || gpu=$device
done

# Memory is switched on in the command register, the word at 4.
printf '\002\000' | $busybox dd of="$gpu/config" bs=1 seek=4 conv=notrunc 2>/dev/null
region=0
while read -r start _; do
  [ $region -ne REGION ] || base=$start
  region=$((region + 1))
done <"$gpu/resource"

all() {
  seen=
  for offset in OFFSETS; do
    seen="$seen $($busybox devmem $((base + offset)) 32)"
  done
  say "$1$seen"
}
all found
rest=$secret,
for offset in OFFSETS; do
  $busybox devmem $((base + offset)) 32 "${rest%%,*}"
  rest=${rest#*,}
done
all left
say "done"
while :; do
  $busybox sleep 3600
done
