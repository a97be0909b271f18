"""scikit-learn with one kernel: RBFSampler, then SGDRegressor.partial_fit, predicting every example
before learning from it. One kernel and no selection: less work than caucus does with J = 2 of 8.

RBFSampler has cosines only, with random phases; 2D = 200 of them are as many coordinates as D = 100
cosines and sines.
"""

import warnings

import numpy as np
import sklearn
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDRegressor

import examples

WIDTH = 4.0


def prepare(options, x, y, repetition):
    rng = np.random.default_rng(options.seed + repetition)
    rows = len(y) // options.at_a_time * options.at_a_time
    if options.rows:
        rows = min(rows, options.rows)
    order = rng.permutation(len(y))[:rows]
    x, y = x[order], y[order]
    sampler = RBFSampler(
        gamma=1.0 / (2.0 * WIDTH**2), n_components=2 * options.features, random_state=repetition
    ).fit(x[:1])
    model = SGDRegressor(learning_rate="constant", eta0=0.5, penalty=None, fit_intercept=False)
    model.partial_fit(sampler.transform(x[:1]), [0.0])  # a model that can predict
    return lambda: play(options, x, y, sampler, model)


def play(options, x, y, sampler, model):
    step, squared_error = options.at_a_time, 0.0
    for first in range(0, len(y), step):
        z = sampler.transform(x[first : first + step])
        target = y[first : first + step]
        squared_error += np.sum((model.predict(z) - target) ** 2)
        model.partial_fit(z, target)
    return len(y), squared_error / len(y)


def main():
    warnings.filterwarnings("ignore")
    # Checks that cost more than the learning; an expert switches them off.
    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    options = examples.parse(features=100, at_a_time=1, rows=0)
    x, y = examples.read(options.data)
    examples.best_of(lambda repetition: prepare(options, x, y, repetition), options.seconds)


if __name__ == "__main__":
    main()
