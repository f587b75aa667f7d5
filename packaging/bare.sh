#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by scripts that try things in a chroot of a bare Debian; as root, with debootstrap.

# bare_root RELEASE FOLDER: a minimal Debian there, made by debootstrap from the mirror that apt-get
# uses here; one that exists is used again.
bare_root() {
    local release=$1 root=$2 mirror
    if [ ! -e "$root/etc/debian_version" ]; then
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' |
            sed -n 1p)
        echo "== debootstrap of $release into $root" >&2
        rm -rf "$root.part"
        debootstrap --variant=minbase "$release" "$root.part" "$mirror" >&2
        # The proxies of this machine's apt, if any.
        apt-config dump | grep -E '^Acquire::[a-z:]*Proxy ' >"$root.part/etc/apt/apt.conf.d/90host" || true
        mv "$root.part" "$root"
    fi
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
}

# inside FOLDER COMMAND …: with nothing of this shell's environment, and /proc, by which programs find
# the libraries beside them.
inside() {
    local root=$1
    shift
    echo "== $*" >&2
    unshare --mount sh -ec 'mount -t proc proc "$0/proc"; exec chroot "$0" "$@"' "$root" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive QT_QPA_PLATFORM=offscreen "$@"
}
