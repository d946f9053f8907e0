"""Runs the library against the real program, over both transports, on the example shop of this repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python" / "src"))

from epitome import Epitome, EpitomeError  # noqa: E402

PROGRAM = os.environ.get("EPITOME_PROGRAM", "epitome")


class ClientTest(unittest.TestCase):
    """A home of its own for every test, so that nothing of this machine is read or written."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        self.shop = self.home / "shop"
        shutil.copytree(ROOT / "examples" / "shop", self.shop)
        kept = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(kept)))
        for name in [name for name in os.environ if name.startswith(("XDG_", "EPITOME_"))]:
            del os.environ[name]
        os.environ["HOME"] = str(self.home)

    def serve(self) -> str:
        command = [PROGRAM, "--project", str(self.shop), "serve", "--address", "127.0.0.1:0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

        def stop() -> None:
            server.terminate()
            server.wait(timeout=20)
            assert server.stdout
            server.stdout.close()

        self.addCleanup(stop)
        assert server.stdout
        url = json.loads(server.stdout.readline())["url"]
        assert isinstance(url, str)
        return url

    def check_operations(self, epitome: Epitome) -> None:
        stored = epitome.ingest("notes", [{"role": "user", "content": "prices are whole cents"}])
        self.assertEqual(len(stored["acknowledged"]), 1)
        recalled = epitome.recall("how are prices kept", within="all")
        self.assertIn("whole cents", json.dumps(recalled))
        found = epitome.search(query="discount for large orders", limit=1)
        self.assertEqual(found["results"][0]["path"], "cart/src/lib.rs")
        answer = epitome.context("how are passwords checked", budget=200)
        self.assertIn("check_password", json.dumps(answer))
        self.assertTrue(epitome.verify()["ok"])

    def test_a_program_that_is_started_answers(self) -> None:
        with Epitome.start(self.shop, program=PROGRAM) as epitome:
            self.check_operations(epitome)

    def test_a_server_answers_with_the_token_of_this_user(self) -> None:
        with Epitome.connect(self.serve()) as epitome:
            self.check_operations(epitome)

    def test_a_failure_says_what_and_what_to_do(self) -> None:
        with Epitome.connect(self.serve()) as epitome:
            with self.assertRaises(EpitomeError) as caught:
                epitome.describe("sum_0000000000000000")
        self.assertEqual(caught.exception.code, "not_found")
        self.assertTrue(caught.exception.hint)
        with Epitome.start(self.shop, program=PROGRAM) as epitome:
            with self.assertRaisesRegex(EpitomeError, "does not exist"):
                epitome.describe("sum_0000000000000000")

    def test_a_wrong_token_is_refused(self) -> None:
        with Epitome.connect(self.serve(), token="not-the-token") as epitome:
            with self.assertRaises(EpitomeError):
                epitome.status()

    def test_a_program_that_is_not_there_is_told(self) -> None:
        with self.assertRaisesRegex(EpitomeError, "cannot start"):
            Epitome.start(self.shop, program=str(self.home / "nothing"))

    def test_a_program_that_ended_is_told(self) -> None:
        epitome = Epitome.start(self.shop, program=PROGRAM)
        epitome.close()
        with self.assertRaisesRegex(EpitomeError, "has ended"):
            epitome.status()

    def test_the_example_runs(self) -> None:
        example = ROOT / "clients" / "python" / "examples" / "ask.py"
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "clients" / "python" / "src"), "EPITOME_PROGRAM": PROGRAM}
        command = [sys.executable, str(example), str(self.shop), "how are passwords checked"]
        printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        self.assertIn("server/auth.py", printed.stdout)


if __name__ == "__main__":
    unittest.main()
