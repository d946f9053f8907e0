"""Writes what the results of many questions have of each feature: questions.jsonl -> candidates.jsonl."""

import itertools
import json
import os
import subprocess
import sys
import tempfile

BINARY = os.environ.get("EPITOME", "epitome")
RESULTS = 80


class Server:
    """A warm `epitome mcp` over one repository, indexed in a folder of its own."""

    def __init__(self, root, home):
        env = {**os.environ, "EPITOME_HOME": home}
        command = [BINARY, "index", root, "--json"]
        said = subprocess.run(command, cwd=root, env=env, check=True, stdout=subprocess.PIPE).stdout
        # A busy machine makes some files go without symbols, and the features of theirs are not what they should be.
        for file in json.loads(said)["skipped"]:
            if "too long" in file["reason"]:
                raise RuntimeError(f"{root}: {file['path']}: {file['reason']}; collect again when the machine is idle")
        command = [BINARY, "mcp", "--profile", "full", "--project", root]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=root, env=env, stdin=pipe, stdout=pipe, text=True)
        self.calls = itertools.count(1)
        client = {"name": "fit", "version": "1"}
        self.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def call(self, method, params):
        number = next(self.calls)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self.process.stdout:
            reply = json.loads(line)
            if reply.get("id") == number:
                if "error" in reply:
                    raise RuntimeError(reply["error"])
                return reply["result"]
        raise RuntimeError("the server closed its output")

    def search(self, query):
        arguments = {"query": query, "limit": RESULTS, "explain": True}
        return self.call("tools/call", {"name": "search", "arguments": arguments})["structuredContent"]["results"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def main(questions, candidates):
    rows = [json.loads(line) for line in open(questions, encoding="utf-8")]
    with open(candidates, "w", encoding="utf-8") as out:
        for root, group in itertools.groupby(rows, key=lambda row: row["root"]):
            with tempfile.TemporaryDirectory() as home:
                server = Server(root, home)
                for row in group:
                    found = server.search(row["query"])
                    features = [[hit["path"], {part["name"]: part["value"] for part in hit["parts"]}] for hit in found]
                    out.write(json.dumps({**row, "candidates": features}) + "\n")
                server.close()
            print(root, file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
