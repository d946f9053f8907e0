"""Pairs as arrays of ids, as the training reads them.

For each text (q question, d document, p path, r rest) all ids in one array, and in `qo`, `do`, `po`, `ro` where the
text of each pair begins. `src` numbers the source, `typ` is the kind, `qh` the hash of the question.
"""

import zlib

import numpy as np

from parallel import over_stretches

TEXTS = {"q": "query", "d": "document", "p": "path", "r": "rest"}
STEP = 20_000


def write_arrays(path, pairs, vocabulary, source_numbers):
    """`source_numbers` has the sources that are trained on; those held out need none."""
    arrays = {
        "src": np.array([source_numbers.get(pair.source, 0) for pair in pairs]),
        "typ": np.array([ord(pair.kind) for pair in pairs], np.uint8),
        "qh": np.array([zlib.crc32(pair.query.encode()) for pair in pairs], np.int64),
    }
    for key, field in TEXTS.items():
        texts = [getattr(pair, field) for pair in pairs]
        parts = list(over_stretches(encode, len(texts), STEP, texts=texts, vocabulary=vocabulary))
        lengths = np.concatenate([part[1] for part in parts])
        arrays[key] = np.concatenate([part[0] for part in parts])
        arrays[key + "o"] = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    np.savez(path, **arrays)
    return arrays


def encode(stretch, texts, vocabulary):
    """All ids of some texts, and how many each has."""
    found = [vocabulary.ids_of_words(texts[number].split()) for number in stretch]
    ids = [number for each in found for number in each]
    return np.array(ids, np.uint16), np.array([len(each) for each in found], np.int64)
