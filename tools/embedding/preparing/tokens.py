"""The vocabulary: whole words that many sources use, and pieces for the rest."""

import string
from collections import Counter

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from parallel import over_stretches

# A power of two that fits 16 bits; with 256 bytes a row the table is 8 MB.
SIZE = 32_768
PIECES = 5_000
UNKNOWN = "[UNK]"
# A word of one source is a name; one of few pairs cannot be trained.
FEWEST_PAIRS = 5
FEWEST_SOURCES = 2
# By how many sources use a word, and a little by how many pairs: by sources alone too many words are equal.
PAIRS_WEIGHT = 0.2
PAIRS_COUNTED = 2_000
# Asked of the trainer beyond what is kept, because many of its pieces are whole words that are listed already.
SPARE_PIECES = 3_500
# Every ASCII word can be spelled with these.
CHARACTERS = string.ascii_lowercase + string.digits
STEP = 15_000


def build_tokens(pairs):
    """The tokens in the order of their ids, and the share of words that are whole in it."""
    in_pairs, in_sources = count(pairs)
    whole = whole_words(in_pairs, in_sources)
    pieces = word_pieces(in_pairs, set(whole))
    coverage = sum(in_pairs[word] for word in whole) / sum(in_pairs.values())
    return [UNKNOWN, *whole, *pieces], coverage


def count(pairs):
    """In how many pairs, and in how many sources, each word is."""
    in_pairs, by_source = Counter(), {}
    for part, sources in over_stretches(count_stretch, len(pairs), STEP, pairs=pairs):
        in_pairs.update(part)
        for name, words in sources.items():
            by_source.setdefault(name, set()).update(words)
    in_sources = Counter()
    for words in by_source.values():
        in_sources.update(words)
    return in_pairs, in_sources


def count_stretch(stretch, pairs):
    in_pairs, by_source = Counter(), {}
    for pair in pairs[stretch.start : stretch.stop]:
        words = set(f"{pair.query} {pair.document} {pair.rest}".split())
        in_pairs.update(words)
        by_source.setdefault(pair.source, set()).update(words)
    return in_pairs, by_source


def whole_words(in_pairs, in_sources):
    def weight(word):
        return in_sources[word] + PAIRS_WEIGHT * min(in_pairs[word], PAIRS_COUNTED) ** 0.5

    frequent = [word for word, pairs in in_pairs.items() if pairs >= FEWEST_PAIRS and word.isascii()]
    ranked = sorted((-weight(word), word) for word in frequent if in_sources[word] >= FEWEST_SOURCES)
    return [word for _, word in ranked[: SIZE - PIECES - 1]]


def word_pieces(in_pairs, whole):
    """Pieces trained on the words that are not whole."""
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN, max_input_chars_per_word=40))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    # Equally frequent pieces are taken in the order of their ids, and the trainer gives ids to inner characters as
    # words come out of a hash table, which is another order in every run: naming them fixes it.
    inner = [f"##{char}" for char in CHARACTERS]
    trainer = trainers.WordPieceTrainer(
        vocab_size=PIECES + SPARE_PIECES,
        special_tokens=[UNKNOWN, *sorted(CHARACTERS), *inner],
        continuing_subword_prefix="##",
    )
    others = [(word, pairs) for word, pairs in in_pairs.items() if word not in whole and word.isascii()]
    rest = sorted((word, pairs) for word, pairs in others if pairs >= 2)
    # A word stands there a few times at most, so that a single name does not fill the pieces.
    tokenizer.train_from_iterator((" ".join([word] * max(1, min(20, pairs // 4))) for word, pairs in rest), trainer)
    trained = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    pieces = [char for char in CHARACTERS if char not in whole] + inner
    pieces += [piece for piece, _ in trained if piece != UNKNOWN and piece not in whole]
    return list(dict.fromkeys(pieces))[:PIECES]
