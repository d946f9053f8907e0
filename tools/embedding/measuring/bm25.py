"""A plain BM25 over the same words, without those that every text has: what a table has to add to."""

from collections import Counter, defaultdict

import numpy as np

from words import split

K1 = 1.2
B = 0.75
# Of a question only: in texts they do no harm.
STOP = set(
    "a about after again all also am an and any are as at be because been before being between both but by can "
    "could did do does done during each few for from had has have having he her here hers him his how i if in "
    "into is it its just may me might mine more most must my no nor not now of on once only or other our out over "
    "own s same shall she should so some such t than that the their them then there these they this those through "
    "to too under until up us very was we were what when where which while who whom whose why will with would you "
    "your yours".split()
)


class Bm25:
    def __init__(self, texts):
        self.postings = defaultdict(list)
        lengths = []
        for number, text in enumerate(texts):
            counts = Counter(split(text))
            lengths.append(sum(counts.values()))
            for word, count in counts.items():
                self.postings[word].append((number, count))
        self.lengths = np.array(lengths, np.float64)

    def scores(self, query):
        total = len(self.lengths)
        scores = np.zeros(total)
        norms = K1 * (1 - B + B * self.lengths / max(1.0, self.lengths.mean()))
        for word in split(query):
            if word in STOP or word not in self.postings:
                continue
            places, counts = np.array(self.postings[word]).T
            weight = np.log(1 + (total - len(places) + 0.5) / (len(places) + 0.5))
            scores[places] += weight * counts * (K1 + 1) / (counts + norms[places])
        return scores
