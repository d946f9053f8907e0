"""The transformer: MiniLM's own shape, written out so that layers can be dropped and every product be quantised."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

WIDTH = 384
HEADS = 12
HIDDEN = 1536
POSITIONS = 512
EPSILON = 1e-12
# The largest of an int8 that has a negative of its own.
LARGEST = 127


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        self.output_norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.wide = nn.Linear(WIDTH, HIDDEN)
        self.narrow = nn.Linear(HIDDEN, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, state, mask):
        rows, length, _ = state.shape
        split = self.query_key_value(state).view(rows, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(split[0], split[1], split[2], attn_mask=mask)
        mixed = mixed.transpose(1, 2).reshape(rows, length, WIDTH)
        state = self.output_norm(state + self.output(mixed))
        return self.narrow_norm(state + self.narrow(functional.gelu(self.wide(state))))


class Network(nn.Module):
    """Ids and their lengths to vectors of length 1: the mean over all tokens of the last layer."""

    def __init__(self, layers, rows):
        super().__init__()
        self.words = nn.Embedding(rows, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids, lengths):
        place = torch.arange(ids.shape[1], device=ids.device)
        real = place < lengths[:, None]
        with torch.autocast("cuda", torch.bfloat16, enabled=ids.is_cuda):
            state = self.norm(self.words(ids) + self.positions(place))
            if ids.is_cuda:
                state = state.bfloat16()
            for layer in self.layers:
                state = layer(state, real[:, None, None, :])
        total = (state.float() * real[..., None]).sum(1) / lengths[:, None]
        return functional.normalize(total, dim=-1)


def read_base(path, layers):
    """A network with some layers of the published weights; `path` is what pack_base wrote."""
    base = np.load(path)
    network = Network(len(layers), len(base["words"]))
    state = {key: torch.from_numpy(base[key].astype(np.float32)) for key in base.files if not key.startswith("layers")}
    state["words.weight"] = state.pop("words") * state.pop("words_scale")[:, None]
    for to, at in enumerate(layers):
        for key in (each for each in base.files if each.startswith(f"layers.{at}.")):
            state[key.replace(f"layers.{at}.", f"layers.{to}.", 1)] = torch.from_numpy(base[key].astype(np.float32))
    network.load_state_dict(state)
    return network


def take_layers(network, layers):
    """A smaller network with some layers of another, copied."""
    smaller = Network(len(layers), network.words.weight.shape[0])
    state = {key: value.detach().cpu().clone() for key, value in network.state_dict().items()}
    kept = {key: value for key, value in state.items() if not key.startswith("layers")}
    for to, at in enumerate(layers):
        prefix = f"layers.{at}."
        kept |= {f"layers.{to}." + key[len(prefix) :]: value for key, value in state.items() if key.startswith(prefix)}
    smaller.load_state_dict(kept)
    return smaller


class Quantised(nn.Module):
    """A product as the int8 inference does it: weights by row, what comes in by token."""

    def __init__(self, linear):
        super().__init__()
        weight = linear.weight.detach().float()
        scale = weight.abs().amax(1, keepdim=True) / LARGEST
        self.weight = (weight / scale).round().clamp(-LARGEST, LARGEST) * scale
        self.bias = linear.bias.detach().float()

    def forward(self, state):
        state = state.float()
        scale = state.abs().amax(-1, keepdim=True).clamp(min=1e-9) / LARGEST
        with torch.autocast("cuda", enabled=False):
            return functional.linear((state / scale).round() * scale, self.weight, self.bias)


def quantise(network):
    """A copy whose every product and table is rounded to int8."""
    copy = take_layers(network, range(len(network.layers))).to(network.words.weight.device)
    for layer in copy.layers:
        for name in ("query_key_value", "output", "wide", "narrow"):
            setattr(layer, name, Quantised(getattr(layer, name)))
    with torch.no_grad():
        for table in (copy.words.weight, copy.positions.weight):
            scale = table.abs().amax(1, keepdim=True).clamp(min=1e-9) / LARGEST
            table.copy_((table / scale).round() * scale)
    return copy
