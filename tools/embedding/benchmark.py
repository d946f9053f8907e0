"""Step 6, first half: two public benchmarks as the files that evaluate.py reads. Neither is part of this repository.

Code: the annotations of the semble project (MIT) and checkouts of the repositories they name. Chat: LoCoMo (CC BY-NC,
for measuring only).
"""

import argparse
import json
import os
import re

# As most tools cut files for search.
CHUNK_LINES = 50
OVERLAP = 10
LARGEST_FILE = 1_000_000
EXTENSIONS = set(
    "py pyi js jsx mjs cjs ts tsx mts cts go java php rb rake gemspec rs cs kt kts scala sc swift ex exs c h cc "
    "cpp cxx hpp hh inc ipp sh bash zsh bats hs lhs lua zig fish pl vue svelte erl hrl clj ml mli r jl dart sql "
    "theme aliases plugin completion proto m mm".split()
)
SKIPPED_FOLDERS = {".git", "node_modules", "__pycache__", ".venv", "target", "dist", ".tox"}
# Some pieces of evidence are misspelled: D8:6; D9:17, D:11:26.
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    kinds = arguments.add_subparsers(dest="kind", required=True)
    code = kinds.add_parser("code", help="one line for each repository")
    code.add_argument("repositories", help="repos.json of the benchmark: name and benchmark_root of each")
    code.add_argument("annotations", help="folder with NAME.json for each")
    code.add_argument("checkouts", help="folder with the checkout NAME of each")
    code.add_argument("out", help="code.jsonl")
    chats = kinds.add_parser("chats", help="one entry for each conversation")
    chats.add_argument("locomo", help="locomo10.json")
    chats.add_argument("out", help="chats.json")
    options = arguments.parse_args()
    with open(options.out, "w", encoding="utf-8") as out:
        if options.kind == "chats":
            json.dump([conversation(sample) for sample in read_json(options.locomo)], out)
            return
        for row in read_json(options.repositories):
            annotations = read_json(f"{options.annotations}/{row['name']}.json")
            out.write(json.dumps(repository(row, annotations, options.checkouts)) + "\n")


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def repository(row, annotations, checkouts):
    checkout = os.path.join(checkouts, row["name"])
    root = os.path.join(checkout, row["benchmark_root"] or "")
    chunks = [[os.path.relpath(path, checkout), *chunk] for path in code_files(root) for chunk in cut(path)]
    tasks = []
    for task in annotations:
        primary = [target(each, root, checkout) for each in task["relevant"]]
        secondary = [target(each, root, checkout) for each in task["secondary"]]
        # A question whose answer is gone at this revision cannot be answered.
        if None not in primary + secondary:
            tasks.append(
                {"query": task["query"], "category": task["category"], "primary": primary, "secondary": secondary}
            )
    return {"name": row["name"], "chunks": chunks, "tasks": tasks}


def target(annotation, root, checkout):
    """[path from the checkout, first line, last line]; the lines are not always known."""
    if isinstance(annotation, str):
        annotation = {"path": annotation}
    for folder in (root, checkout):
        path = os.path.join(folder, annotation["path"])
        if os.path.isfile(path):
            return [os.path.relpath(path, checkout), annotation.get("start_line"), annotation.get("end_line")]
    return None


def code_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for path in (os.path.join(folder, name) for name in sorted(files)):
            if os.path.isfile(path) and os.path.getsize(path) <= LARGEST_FILE and is_code(path):
                yield path


def is_code(path):
    name = os.path.basename(path)
    if "." in name:
        return name.rsplit(".", 1)[-1].lower() in EXTENSIONS
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def cut(path):
    """(first line, last line, text) of each chunk."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    # What the overlap holds already needs no chunk of its own.
    for start in range(0, max(1, len(lines) - OVERLAP), CHUNK_LINES - OVERLAP):
        part = lines[start : start + CHUNK_LINES]
        yield start + 1, start + len(part), "\n".join(part)


def conversation(sample):
    said = sample["conversation"]
    messages, places = [], {}
    number = 1
    while f"session_{number}_date_time" in said:
        for turn in said.get(f"session_{number}") or []:
            image = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            places[turn["dia_id"]] = len(messages)
            messages.append(f"{turn['speaker']}: {turn['text']}{image}")
        number += 1
    questions, gold = [], []
    for asked in sample["qa"]:
        evidence = EVIDENCE.findall(" ".join(asked["evidence"]))
        ids = dict.fromkeys(f"D{int(session)}:{int(turn)}" for session, turn in evidence)
        found = [places[each] for each in ids if each in places]
        if found:
            questions.append(asked["question"])
            gold.append(found)
    return {"data": "locomo", "msgs": messages, "qs": questions, "gold": gold}


if __name__ == "__main__":
    main()
