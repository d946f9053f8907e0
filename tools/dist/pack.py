"""Packs a folder as an archive whose bytes depend on its content only: names in order, one time, no owner. For
`cargo xtask dist`; with Python's own library, so that it does the same on every system.

    pack.py tar FOLDER OUT.tar.gz [PREFIX]     every file below PREFIX/
    pack.py zip FOLDER OUT.zip [PREFIX]
    pack.py wheel FOLDER OUT.whl               with the list of hashes that a wheel needs
    pack.py sums OUT FILE...                   SHA-256 of files, as `sha256sum --check` reads it

The variable PACK_LEVEL is the effort of compression, 1 to 9."""

import base64
import gzip
import hashlib
import os
import stat
import sys
import tarfile
import zipfile
from pathlib import Path

# 1980 is the first year that a zip archive can name.
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
DATE = (1980, 1, 1, 0, 0, 0)
LEVEL = int(os.environ.get("PACK_LEVEL", "9"))


def list_files(folder):
    """Paths relative to a folder with `/`, in order, each with its file and whether it is a program."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(path.relative_to(folder).as_posix(), path, bool(path.stat().st_mode & stat.S_IXUSR)) for path in files]


def pack_tar(folder, out, prefix=""):
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, path, is_program in list_files(folder):
                entry = tarfile.TarInfo(prefix + name)
                entry.size = path.stat().st_size
                entry.mtime = TIME
                entry.mode = 0o755 if is_program else 0o644
                with open(path, "rb") as content:
                    archive.addfile(entry, content)


def write_entry(archive, name, content, is_program):
    entry = zipfile.ZipInfo(name, DATE)
    entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content, compresslevel=LEVEL)


def pack_zip(folder, out, prefix=""):
    with zipfile.ZipFile(out, "w") as archive:
        for name, path, is_program in list_files(folder):
            write_entry(archive, prefix + name, path.read_bytes(), is_program)


def pack_wheel(folder, out):
    files = list_files(folder)
    metadata = next(name for name, _, _ in files if name.endswith(".dist-info/METADATA"))
    record = metadata.removesuffix("METADATA") + "RECORD"
    lines = []
    with zipfile.ZipFile(out, "w") as archive:
        # The description of a package stands at the end, where installers look first.
        for name, path, is_program in sorted(files, key=lambda file: (".dist-info/" in file[0], file[0])):
            content = path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
            write_entry(archive, name, content, is_program)
        write_entry(archive, record, "".join(lines) + f"{record},,\n", False)


def write_sums(out, files):
    lines = []
    for file in sorted(map(Path, files)):
        lines.append(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n")
    Path(out).write_text("".join(lines))


def main(kind, *arguments):
    if kind == "sums":
        return write_sums(arguments[0], arguments[1:])
    folder, out, *prefix = arguments
    {"tar": pack_tar, "zip": pack_zip, "wheel": pack_wheel}[kind](Path(folder), out, *prefix)


main(*sys.argv[1:])
