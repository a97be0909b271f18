"""FOMD-OMS for kernels in NumPy, vectorised over the clients of a round, as a researcher would write
it: the same sampling rule, importance weights and steps as bench/peers/plain_loop.cpp.

It is kinder to itself than the plain loop: base * x is computed once for all kernels.
"""

import numpy as np

import examples


def prepare(options, x, y, repetition):
    """One repetition: rows in random order, dealt to the clients; a new base of frequencies."""
    rng = np.random.default_rng(options.seed + repetition)
    clients, rounds = options.clients, len(y) // options.clients
    order = rng.permutation(len(y))[: rounds * clients]
    x, y = x[order].reshape(rounds, clients, -1), y[order].reshape(rounds, clients)
    base = rng.standard_normal((x.shape[2], options.features))
    return lambda: play(options, x, y, base, rng)


def play(options, x, y, base, rng):
    rounds, M = y.shape
    K, J, D = len(examples.WIDTHS), options.sample, options.features
    loss_bound = options.radius + 1.0
    w = np.zeros((K, 2 * D))
    p = np.full(K, 1.0 / K)
    everyone = np.arange(M)
    squared_error = 0.0
    for t in range(rounds):
        held = sample_models(p, M, J, rng)
        angles = (x[t] @ base)[:, None, :] / examples.WIDTHS[held][:, :, None]
        z = np.concatenate([np.cos(angles), np.sin(angles)], axis=2) / np.sqrt(D)
        error = np.einsum("mjk,mjk->mj", w[held], z) - y[t][:, None]
        squared_error += np.sum(error[everyone, 0] ** 2)

        inclusion = np.ones(K) if J == K else ((K - J) * p + J - 1) / (K - 1)
        weight = 1.0 / (M * inclusion[held])
        losses = np.bincount(held.ravel(), (weight * error**2).ravel(), minlength=K)
        gradient = np.zeros_like(w)
        np.add.at(gradient, held, (2.0 * weight * error)[:, :, None] * z)

        w -= options.step * gradient
        norm = np.linalg.norm(w, axis=1, keepdims=True)
        w *= np.minimum(1.0, options.radius / np.maximum(norm, 1e-300))
        p = p * np.exp(-options.eta * losses / loss_bound)  # all C_i are equal: nu is a factor
        p /= p.sum()
    return rounds * M, squared_error / (rounds * M)


def sample_models(p, clients, sample, rng):
    """A_1 ~ p, the others uniform without replacement from the rest; one row per client."""
    K = len(p)
    first = np.minimum(np.searchsorted(np.cumsum(p), rng.random(clients)), K - 1)
    keys = rng.random((clients, K))
    keys[np.arange(clients), first] = -1.0  # sorts to the front
    return np.argsort(keys, axis=1)[:, :sample]


def main():
    options = examples.parse(clients=10, sample=2, features=100, eta=16.0, step=1.0, radius=2.0)
    x, y = examples.read(options.data)
    examples.best_of(lambda repetition: prepare(options, x, y, repetition), options.seconds)


if __name__ == "__main__":
    main()
