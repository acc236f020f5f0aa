#!/bin/busybox sh
# What the machine of a validation does (docs/reference/gpu-validation.md), with the memory that the GPU has: looks for the
# patterns of earlier validations, leaves its own, and prints its verdict. The first program of a light guest, and so
# before any driver: a tenant's guest is tenant.sh, beside this file. validator.ts gives it the words that stand in capital
# letters.

busybox=/bin/busybox
$busybox mkdir -p /proc /sys /dev /seed
$busybox mount -t devtmpfs dev /dev
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sys /sys

gpus=0
for device in /sys/bus/pci/devices/*; do
  read -r vendor <"$device/vendor"
  read -r product <"$device/device"
  [ "$vendor:$product" = VENDOR:PRODUCT ] || continue
  gpu=$device
  gpus=$((gpus + 1))
done

# The guest's own driver would reset it.
echo none >"$gpu/driver_override"
for module in /modules/*; do
  $busybox insmod "$module"
done

# What is asked: in the user-data of the seed, for cloud-init.
until [ -b /dev/vdb ]; do
  $busybox sleep 0.1
done
for disk in /dev/vd?; do
  $busybox mount -t iso9660 -o ro "$disk" /seed 2>/dev/null && break
done
# Of the message, each part is lines of Base64 and nothing else.
$busybox mkdir /parts
$busybox awk '/^--/ { part++ } /^[A-Za-z0-9+\/=]+$/ { print >("/parts/" part) }' /seed/user-data
for part in /parts/*; do
  $busybox base64 -d "$part" | $busybox grep -F gpu-validation.json >>/request
done
nonce=$($busybox grep -o 'nonce[^0-9a-f]*[0-9a-f]*' /request | $busybox grep -o '[0-9a-f]\{32\}$')
previous=$($busybox grep -o 'previous[^]]*' /request | $busybox grep -o '[0-9a-f]\{32\}')

# Memory is switched on in the command register, the word at 4.
printf '\002\000' | $busybox dd of="$gpu/config" bs=1 seek=4 conv=notrunc 2>/dev/null
region=0
while read -r start _; do
  [ $region -ne REGION ] || base=$start
  region=$((region + 1))
done <"$gpu/resource"

found=
for offset in OFFSETS; do
  word=$($busybox devmem $((base + offset)) 32)
  found=$found${word#0x}
done
found=$(echo "$found" | $busybox tr A-F a-f)
rest=$nonce
for offset in OFFSETS; do
  $busybox devmem $((base + offset)) 32 "0x${rest%"${rest#????????}"}"
  rest=${rest#????????}
done

verdict=pass detail="no pattern of an earlier validation"
for old in $previous; do
  if [ "$found" = "$old" ]; then verdict=fail detail="memory still has the pattern of validation $old"; fi
done
# More than once, in case the kernel prints into one.
for _ in 1 2 3; do
  echo "LESSOR-GPU-VALIDATION $nonce {\"verdict\":\"$verdict\",\"gpus\":$gpus,\"detail\":\"$detail\"}"
  $busybox sleep 1
done
while :; do
  $busybox sleep 3600
done
