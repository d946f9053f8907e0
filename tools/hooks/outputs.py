"""Which outputs of tools would be worth showing in brief: the sizes in real transcripts of Claude Code, and what
shortening them would have spared.

    python3 tools/hooks/outputs.py FOLDER > bench/runs/…/outputs.json

Net is bytes not shown, less what would have been read again. An output counts as read again when one of the agent's next
messages or calls has a word (six characters or more) that stood only in the part left out: then its short form and the
call that fetches the rest are a cost, and nothing is spared. That is harsh, as a word may come from anywhere.
"""

import collections
import glob
import json
import re
import sys

WORD = re.compile(r"[A-Za-z0-9_./:-]{6,}")
ALARMING = ["error", "failed", "panicked", "exception", "fatal", "warning:"]
LINES, ALARMS, MARK, CALL = 40, 20, 170, 300
SEEN_AFTER = 24
TOOLS = ["Bash", "Grep", "Task", "TaskOutput", "Glob", "WebFetch", "Read"]
LEAST = [4_000, 8_000, 12_000, 16_000]
ENDS = [1_500, 3_000]


def size(text):
    return len(text.encode())


def short(text, end):
    """How many bytes the short form has, its words, and the lines left out."""
    lines = text.splitlines()

    def fits(candidates):
        count = used = 0
        for line in candidates:
            used += size(line) + 1
            if count == LINES or used > end:
                break
            count += 1
        return count

    head = fits(lines)
    tail = fits(reversed(lines[head:]))
    left = lines[head : len(lines) - tail]
    shown = lines[:head] + lines[len(lines) - tail :]
    alarms = [line[:240] for line in left if any(word in line.lower() for word in ALARMING)][:ALARMS]
    used = sum(size(line) + 1 for line in shown) + sum(size(line) + 6 for line in alarms) + MARK
    return used, set(WORD.findall("\n".join(shown + alarms))), left


def is_json(text):
    def reads(text):
        try:
            json.loads(text)
            return True
        except ValueError:
            return False

    first = [line for line in text.splitlines() if line.strip()][:3]
    return text[:1] in "{[" and (reads(text) or all(map(reads, first)))


def why_exact(text, failed):
    """Why an output is never shortened, if it is not."""
    start = text.lstrip()
    if failed:
        return "failure"
    if start.startswith(("diff --git", "--- ")) or "\n@@ -" in text:
        return "difference"
    return "json" if is_json(start) else None


def steps(path):
    """What was said and called, and the outputs of tools, in order."""
    calls = {}
    for line in open(path, errors="replace"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        message = record.get("message") if isinstance(record, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            yield None, content, False
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_use":
                calls[block["id"]] = block["name"]
                yield None, json.dumps(block.get("input"), ensure_ascii=False), False
            elif block.get("type") == "text":
                yield None, block.get("text", ""), False
            elif block.get("type") == "tool_result":
                given = block.get("content") or ""
                if isinstance(given, list):
                    given = "\n".join(part.get("text", "") for part in given if isinstance(part, dict))
                result = record.get("toolUseResult")
                failed = block.get("is_error") or (isinstance(result, dict) and result.get("stderr"))
                yield calls.get(block.get("tool_use_id"), "?"), given, bool(failed)


def main(folder):
    sizes = collections.defaultdict(list)
    tally = collections.defaultdict(collections.Counter)
    sessions = 0
    for path in sorted(glob.glob(folder + "/*.jsonl")):
        told = list(steps(path))
        sessions += bool(told)
        before = set()
        for index, (tool, text, failed) in enumerate(told):
            if tool is not None:
                sizes[tool].append(size(text))
            if tool in TOOLS and size(text) > LEAST[0]:
                exact = why_exact(text, failed)
                after = (step[1] for step in told[index + 1 : index + 1 + SEEN_AFTER] if step[0] is None)
                used = set(WORD.findall("\n".join(after)))
                for end in ENDS:
                    shown, words, left = short(text, end)
                    again = bool((set(WORD.findall("\n".join(left))) - words - before) & used)
                    for least in LEAST:
                        if size(text) <= least:
                            continue
                        count = tally[tool, least, end]
                        count[exact or "shortened"] += 1
                        if exact is None:
                            count["read_again"] += again
                            count["net_bytes"] += -shown - CALL if again else size(text) - shown
            before |= set(WORD.findall(text))

    def row(tool):
        of = sorted(sizes[tool])
        at = lambda share: of[min(len(of) - 1, int(share * len(of)))]
        return {
            "outputs": len(of),
            "bytes": sum(of),
            "median": at(0.5),
            "p90": at(0.9),
            "p99": at(0.99),
            "largest": of[-1],
            "over": {
                f"{least}, ends of {end}": dict(tally[tool, least, end]) for least in LEAST for end in ENDS
            },
        }

    report = {
        "sessions": sessions,
        "bytes": sum(map(sum, sizes.values())),
        "tools": {tool: row(tool) for tool in TOOLS if sizes[tool]},
    }
    json.dump(report, sys.stdout, indent=2)
    print()


main(sys.argv[1])
