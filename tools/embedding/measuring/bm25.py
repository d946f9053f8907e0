"""A plain BM25 over the same words: what a table has to add to."""

from collections import Counter, defaultdict

import numpy as np

from words import split

K1 = 1.2
B = 0.75


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
            if word not in self.postings:
                continue
            places, counts = np.array(self.postings[word]).T
            weight = np.log(1 + (total - len(places) + 0.5) / (len(places) + 0.5))
            scores[places] += weight * counts * (K1 + 1) / (counts + norms[places])
        return scores
