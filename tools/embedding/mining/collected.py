"""The pairs of one package while it is mined: too short ones and repetitions are left out."""

from words import split

# What a model of bags of words can use; more would only make long documents heavier.
QUERY_WORDS = 48
DOCUMENT_WORDS = 320
WINDOW_WORDS = 440
PATH_WORDS = 12
REST_WORDS = 90
FEWEST_QUERY_WORDS = 2
FEWEST_DOCUMENT_WORDS = 6
# A document is taken for another when so many first words are equal.
COMPARED_WORDS = 24


class Collected:
    def __init__(self):
        self.rows = []
        self.seen = set()

    def put(self, kind, query, document, path="", rest="", most_words=DOCUMENT_WORDS):
        self.put_words(kind, split(query, QUERY_WORDS), document, path, rest, most_words)

    def put_words(self, kind, query, document, path="", rest="", most_words=DOCUMENT_WORDS):
        """As `put`, for a question whose words are split."""
        document = split(document, most_words)
        if len(query) < FEWEST_QUERY_WORDS or len(document) < FEWEST_DOCUMENT_WORDS:
            return
        query = " ".join(query)
        key = query + "|" + " ".join(document[:COMPARED_WORDS])
        if key in self.seen:
            return
        self.seen.add(key)
        path, rest = split(path, PATH_WORDS), split(rest, REST_WORDS)
        self.rows.append((kind, query, " ".join(document), " ".join(path), " ".join(rest)))
