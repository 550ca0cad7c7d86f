"""A GPT-2, with the tensor names and layouts of the Hugging Face files, and how it is measured.

Measuring convention (the Rust side follows the same): a unit of text is tokenized and <|endoftext|>
(id 0) is put before it; the sequence is cut in windows of at most 256 tokens that overlap in
nothing else: window i is tokens[i*255 .. i*255+256], so the last token of one window is
the first of the next, and every real token is scored exactly once. The loss is summed over the
unit in nats. Bits per byte = total nats / ln 2 / UTF-8 bytes of the units; perplexity = exp(total
nats / total tokens).
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

CONTEXT = 256
WIDTH, LAYERS, HEADS, VOCABULARY = 128, 12, 4, 4096
EPSILON = 1e-5
END_ID = 0


class Conv1D(nn.Module):
    """A linear map whose weight is (in, out), as GPT-2 stores it."""

    def __init__(self, inputs, outputs, std):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) * std)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):  # (rows, in) -> (rows, out)
        return torch.addmm(self.bias, x, self.weight)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = Conv1D(WIDTH, 3 * WIDTH, 0.02)
        self.c_proj = Conv1D(WIDTH, WIDTH, 0.02 / math.sqrt(2 * LAYERS))

    def forward(self, x, batch):  # x is (batch * time, width)
        parts = self.c_attn(x).view(batch, -1, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)  # (batch, heads, time, 32)
        return self.c_proj(mixed.transpose(1, 2).reshape(x.shape))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_fc = Conv1D(WIDTH, 4 * WIDTH, 0.02)
        self.c_proj = Conv1D(4 * WIDTH, WIDTH, 0.02 / math.sqrt(2 * LAYERS))

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.attn = Attention()
        self.ln_2 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.mlp = Mlp()

    def forward(self, x, batch):
        x = x + self.attn(self.ln_1(x), batch)
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(VOCABULARY, WIDTH)
        self.wpe = nn.Embedding(CONTEXT, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = nn.LayerNorm(WIDTH, eps=EPSILON)
        nn.init.normal_(self.wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.01)

    def forward(self, inputs, targets):
        """inputs, targets (batch, time) -> nats per target (batch * time)."""
        batch, time = inputs.shape
        x = (self.wte(inputs) + self.wpe.weight[:time]).view(batch * time, WIDTH)
        for block in self.h:
            x = block(x, batch)
        logits = self.ln_f(x) @ self.wte.weight.T
        return F.cross_entropy(logits, targets.reshape(-1), reduction="none")


def windows(ids):
    """The (inputs, targets) of a unit, by the convention above."""
    tokens = [END_ID] + ids
    for start in range(0, len(ids), CONTEXT - 1):
        piece = tokens[start:start + CONTEXT]
        yield piece[:-1], piece[1:]


@torch.no_grad()
def measure(model, tokenizer, units):
    """Nats and tokens of every unit: two lists."""
    nats, counts = [], []
    for encoding in tokenizer.encode_batch_fast(units):
        total = 0.0
        for inputs, targets in windows(encoding.ids):
            total += model(torch.tensor([inputs]), torch.tensor([targets])).double().sum().item()
        nats.append(total)
        counts.append(len(encoding.ids))
    return nats, counts


def bits_per_byte(nats, units):
    return sum(nats) / math.log(2) / sum(len(unit.encode()) for unit in units)
