"""Asks a question about a directory: `python ask.py DIRECTORY QUESTION`."""

import os
import sys

from epitome import Epitome

directory, question = sys.argv[1:]
with Epitome.start(directory, program=os.environ.get("EPITOME_PROGRAM", "epitome")) as epitome:
    for result in epitome.search(query=question, limit=3)["results"]:
        print(f"{result['path']}:{result['start_line']}-{result['end_line']}  {result['kind']}")
