"""The files of a package that are mined: its own sources and prose, up to so much text, chosen by its seed."""

import random
import re
import tarfile
import zipfile

from mining.families import PROSE, family

# Text taken from one package. Python packages are fewer, so they may give more.
MOST_BYTES = {"crates": 1_200_000, "npm": 1_200_000, "pypi": 2_000_000}
PROSE_SHARE = 0.25
SMALLEST_FILE = 200
LARGEST_FILE = 200_000

# Somebody else's code (under a licence we have not read), data, and prose that is not English.
SKIPPED_FOLDERS = (
    "vendor|vendors|third[-_]?party|thirdparty|node_modules|deps|external|extern|3rdparty|\\.git|dist/[^/]*min"
    "|generated|__generated__|testdata|fixtures?|locale|locales|i18n|translations?|_vendor|vendored|bundled|fmt/bundled"
    "|nlohmann|absl|site-packages|zh[-_]cn|zh|ja|ko|fr|es|pt[-_]br|de|ru"
)
SKIPPED_FOLDER = re.compile(f"(^|/)({SKIPPED_FOLDERS})/", re.IGNORECASE)
# Generated files, and prose that is the same everywhere.
SKIPPED_FILES = (
    r"\.min\.|\.pb\.|_pb2|\.generated\.|\.g\.cs|\.designer\.cs|bundle\.js|json\.hpp$|\.umd\."
    r"|changelog|history\.md|changes|license|licence|copying|notice|authors|contributors"
)
SKIPPED_FILE = re.compile(f"({SKIPPED_FILES})", re.IGNORECASE)


def read_package(archive, source):
    """(path, bytes) of the chosen files."""
    found = read_zip(archive) if archive.endswith((".whl", ".zip")) else read_tar(archive)
    paths = list(found)
    random.Random(source.seed).shuffle(paths)
    most = MOST_BYTES[source.registry]
    taken, prose = 0, 0
    for path in paths:
        size = len(found[path])
        is_prose = family(path) == PROSE
        if taken + size > most or (is_prose and prose + size > most * PROSE_SHARE):
            continue
        taken += size
        prose += size if is_prose else 0
        yield path, found[path]


def read_zip(archive):
    with zipfile.ZipFile(archive) as file:
        members = [member for member in file.infolist() if not member.is_dir()]
        return {each.filename: file.read(each) for each in members if is_wanted(each.filename, each.file_size)}


def read_tar(archive):
    """Paths are without the first folder, which only repeats name and version."""
    found = {}
    with tarfile.open(archive) as file:
        for member in file:
            path = "/".join(member.name.split("/")[1:])
            if member.isfile() and is_wanted(path, member.size):
                found[path] = file.extractfile(member).read()
    return found


def is_wanted(path, size):
    if family(path) is None or not SMALLEST_FILE < size < LARGEST_FILE:
        return False
    return not SKIPPED_FOLDER.search(path) and not SKIPPED_FILE.search(path.rsplit("/", 1)[-1])
