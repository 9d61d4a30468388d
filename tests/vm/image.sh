#!/bin/bash
# Make DIR/base.raw: Debian 13 with systemd and control groups of version 2 alone, and an ordinary user `ada`,
# that boots as User-Mode Linux; and DIR/key, with which she and root are reached by ssh.
# usage, as root: image.sh DIR      (4 minutes, 6 GiB; SIZE, MIRROR and SUITE change what they say)
# needs: apt-get install --no-install-recommends mmdebstrap arch-test user-mode-linux
set -euo pipefail
mkdir -p "$1/share/wheels"
cd "$1"
packages=systemd-sysv,libpam-systemd,dbus-user-session,polkitd,udev,openssh-server,sudo,iproute2,procps,cron,\
python3-venv,bubblewrap,tmux,screen,gcc,libc6-dev,git,podman,uidmap,slirp4netns,passt,fuse-overlayfs,crun,\
nginx-light,caddy,curl,openssl,ca-certificates,locales-all
modules=$(dpkg -L user-mode-linux | grep '^/usr/lib/uml/modules/[^/]*$')
[ -f key ] || ssh-keygen -q -t ed25519 -N '' -f key

cat > fill.sh <<'FILL'
set -eu
root=$1 share=$2 modules=$3
chroot "$root" useradd -m -s /bin/bash ada
chroot "$root" useradd -m -s /bin/bash -d /srv/arena arena
echo 'ada ALL=(ALL) NOPASSWD: ALL' > "$root/etc/sudoers.d/ada"
for home in home/ada root; do
    install -D -m 600 key.pub "$root/$home/.ssh/authorized_keys"
done
chroot "$root" chown -R ada:ada /home/ada/.ssh
echo vm > "$root/etc/hostname"
echo '127.0.0.1 localhost vm cup.example.org' > "$root/etc/hosts"
mkdir "$root/host"
printf '/dev/ubda / ext4 defaults 0 0\nnone /host hostfs nofail,%s 0 0\n' "$share" > "$root/etc/fstab"
printf 'fuse\noverlay\ntun\nveth\nautofs4\n' > "$root/etc/modules-load.d/uml.conf"
printf '[global]\nno-index = true\nfind-links = /host/wheels\n' > "$root/etc/pip.conf"
mkdir -p "$root/lib/modules"
cp -a "$modules" "$root/lib/modules/"
chroot "$root" depmod "${modules##*/}"
chroot "$root" systemctl enable systemd-network-generator systemd-networkd
chroot "$root" systemctl disable nginx caddy
FILL
mmdebstrap --variant=important --include="$packages,kmod" \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Check-Date "false"' \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    --customize-hook="sh ./fill.sh \"\$1\" '$PWD/share' '$modules'" "${SUITE:-trixie}" root.tar \
    "${MIRROR:-$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources | head -n 1)}"
mkdir root
tar -C root -xpf root.tar
truncate -s "${SIZE:-12G}" base.raw
mkfs.ext4 -q -F -d root base.raw
rm -r root root.tar fill.sh
