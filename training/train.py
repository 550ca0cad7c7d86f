"""Train one model of the family: `python train.py skew-skew`. Killed, it resumes where it stopped.

`python train.py skew-skew --early 1500` takes the last checkpoint of that run into a run of its own,
skew-skew-early, and decays the learning rate to zero by step 1500: a usable model before its time.

The machine is shared, and threads that meet at a barrier in every operation collapse when another
program takes a core. So each core gets a process of its own, with one thread, that takes a few
sequences at a time from the step's batch; the processes meet once per step, to add up gradients.
They are added in the order of the batch, so the result does not depend on who did what.
"""

import fcntl
import json
import os
import shutil
import sys
import time
from queue import Empty

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import numpy as np
import torch
import torch.multiprocessing as multiprocessing

from gpt2 import CONTEXT, Gpt2
from places import CACHE, write_json

SEED = 20261116
BATCH = 16       # sequences of 256 tokens per step
MICRO = 2        # sequences a worker takes at a time: small enough to stay in cache
WORKERS = 2
PEAK_RATE = 3e-3
WARMUP = 100     # steps
DECAY = 0.25     # of all steps, linear to zero at the end; constant between warmup and decay
BETAS = (0.9, 0.95)
WEIGHT_DECAY = 0.1  # on the matrices of the blocks only
CLIP = 1.0
CHECKPOINT_EVERY = 180  # seconds
MIX_OF = {"skew": "skewed", "bal": "balanced"}
RECIPE = {
    "optimiser": "AdamW", "betas": BETAS, "weight_decay": WEIGHT_DECAY, "weight_decay_on": "block matrices",
    "gradient_clip": CLIP, "peak_learning_rate": PEAK_RATE, "warmup_steps": WARMUP,
    "schedule": "linear warmup, constant, linear decay to 0", "decay_share": DECAY,
    "batch_sequences": BATCH, "context": CONTEXT, "dropout": 0, "precision": "f32, rounded to f16 when shipped",
    "packing": "documents of 1 to 6 paragraphs separated by <|endoftext|>, attention not reset",
}


def rate(step, steps, decay_steps):
    """Learning rate of a step: warmup, constant, linear decay."""
    return PEAK_RATE * min(1.0, (step + 1) / WARMUP, (steps - step) / decay_steps)


def load_tokens(name):
    data, tokenizer = (MIX_OF[part] for part in name.split("-"))
    return np.fromfile(CACHE / "mix" / f"{data}-{tokenizer}.u16", dtype=np.uint16)


def batch(tokens, step):
    """Inputs and targets (BATCH, CONTEXT): the next stretch of the packed text, cut in rows."""
    start = step * BATCH * CONTEXT
    stretch = torch.from_numpy(tokens[start:start + BATCH * CONTEXT + 1].astype(np.int64))
    return stretch[:-1].view(BATCH, CONTEXT), stretch[1:].view(BATCH, CONTEXT)


def work(model, gradients, losses, tokens, tasks, done):
    torch.set_num_threads(1)
    parameters = list(model.parameters())
    loss_of = torch.compile(lambda inputs, targets: model(inputs, targets).sum() / (BATCH * CONTEXT))
    while (task := tasks.get()) is not None:
        step, micro = task
        inputs, targets = batch(tokens, step)
        rows = slice(micro * MICRO, (micro + 1) * MICRO)
        loss = loss_of(inputs[rows].contiguous(), targets[rows].contiguous())
        torch.cat([g.reshape(-1) for g in torch.autograd.grad(loss, parameters)], out=gradients[micro])
        losses[micro] = loss.item()
        done.put(micro)


class Team:
    """The worker processes, and the memory they share with this one."""

    def __init__(self, model, tokens):
        size = sum(p.numel() for p in model.parameters())
        self.gradients = torch.zeros(BATCH // MICRO, size).share_memory_()
        self.losses = torch.zeros(BATCH // MICRO).share_memory_()
        model.share_memory()
        context = multiprocessing.get_context("fork")
        self.tasks, self.done = context.Queue(), context.Queue()
        self.workers = [context.Process(target=work, daemon=True, args=(
            model, self.gradients, self.losses, tokens, self.tasks, self.done)) for _ in range(WORKERS)]
        # One after the other: the first compiles, the others find it in the compiler's cache.
        for worker in self.workers:
            worker.start()
            self.tasks.put((0, 0))
            self.wait(1)

    def wait(self, count):
        for _ in range(count):
            while True:
                try:
                    self.done.get(timeout=60)
                    break
                except Empty:
                    if not all(worker.is_alive() for worker in self.workers if worker.pid):
                        raise SystemExit("a worker process has died")

    def step(self, step):
        """Sum of the gradients of the step's batch (one flat vector), and its mean loss."""
        for micro in range(BATCH // MICRO):
            self.tasks.put((step, micro))
        self.wait(BATCH // MICRO)
        return self.gradients.sum(0), self.losses.sum().item()


def make_optimiser(model):
    decayed = [p for name, p in model.named_parameters() if name.startswith("h.") and p.dim() == 2]
    rest = [p for name, p in model.named_parameters() if not (name.startswith("h.") and p.dim() == 2)]
    return torch.optim.AdamW([{"params": decayed, "weight_decay": WEIGHT_DECAY},
                              {"params": rest, "weight_decay": 0.0}], lr=PEAK_RATE, betas=BETAS)


def save(path, model, optimiser, step, seconds, history):
    temporary = path.with_name(path.name + ".part")
    torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step,
                "seconds": seconds, "history": history}, temporary)
    temporary.replace(path)


def train(name, early=None):
    """Train to the end of the packed text, or to step `early` in a run beside the real one."""
    folder = CACHE / "runs" / (f"{name}-early" if early else name)
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # a second run of the same model waits, and finds it done
    if (folder / "done.json").exists():
        return
    tokens = load_tokens(name)
    steps = (len(tokens) - 1) // (BATCH * CONTEXT)
    decay_steps = DECAY * steps
    if early:
        shutil.copyfile(CACHE / "runs" / name / "checkpoint.pt", folder / "checkpoint.pt")
        steps = early
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    model = Gpt2()
    optimiser = make_optimiser(model)
    first, seconds, history = 0, 0.0, []
    if (folder / "checkpoint.pt").exists():
        state = torch.load(folder / "checkpoint.pt", weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        first, seconds, history = state["step"], state["seconds"], state["history"]
    if early:
        decay_steps = steps - first
    team = Team(model, tokens)
    parameters = list(model.parameters())
    sizes = [p.numel() for p in parameters]
    log = (folder / "log.jsonl").open("a")
    saved = logged = time.monotonic()
    for step in range(first, steps):
        flat, loss = team.step(step)
        flat *= min(1.0, CLIP / (flat.norm().item() + 1e-6))
        for p, g in zip(parameters, flat.split(sizes)):
            p.grad = g.view_as(p)
        for group in optimiser.param_groups:
            group["lr"] = rate(step, steps, decay_steps)
        optimiser.step()
        history.append(loss)
        if (step + 1) % 20 == 0 or step + 1 == steps:
            now = time.monotonic()
            seconds += now - logged
            speed = 20 * BATCH * CONTEXT / (now - logged)
            logged = now
            log.write(json.dumps({"step": step + 1, "of": steps, "loss": round(sum(history[-20:]) / 20, 4),
                                  "tokens_per_second": round(speed), "seconds": round(seconds)}) + "\n")
            log.flush()
            if now - saved > CHECKPOINT_EVERY:
                save(folder / "checkpoint.pt", model, optimiser, step + 1, seconds, history)
                saved = now
    save(folder / "checkpoint.pt", model, optimiser, steps, seconds, history)
    write_json(folder / "done.json", {"steps": steps, "seconds": round(seconds)})
    for _ in team.workers:
        team.tasks.put(None)


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[3]) if sys.argv[2:3] == ["--early"] else None)
