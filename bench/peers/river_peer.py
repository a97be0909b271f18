"""River's own model selection over the same eight kernels: each candidate is RBFSampler, then
LinearRegression.
  --selection bandit   BanditRegressor: one candidate learns from and predicts each example
  --selection ewa      EWARegressor: all eight do, and their forecasts are mixed
One stream instead of ten clients; River learns from single examples in any case.

River's RBFSampler makes random features of every column apart, n_components of each. They are taken
so many that a candidate has as many coordinates as D = 100 cosines and sines.
"""

import numpy as np
from river import bandit, ensemble, feature_extraction, linear_model
from river import metrics, model_selection, optim

import examples


def candidates(options, columns, repetition):
    components = max(1, 2 * options.features // columns)
    return [
        feature_extraction.RBFSampler(
            gamma=1.0 / (2.0 * width**2), n_components=components, seed=repetition
        )
        | linear_model.LinearRegression(optimizer=optim.SGD(0.005), intercept_lr=0.0)
        for width in examples.WIDTHS
    ]


def selection(options, columns, repetition):
    models = candidates(options, columns, repetition)
    if options.selection == "ewa":
        return ensemble.EWARegressor(models=models, learning_rate=0.5)
    return model_selection.BanditRegressor(
        models=models,
        metric=metrics.MSE(),
        policy=bandit.EpsilonGreedy(epsilon=0.1, seed=repetition),
    )


def prepare(options, x, y, repetition):
    rng = np.random.default_rng(options.seed + repetition)
    order = rng.permutation(len(y))[: options.rows]
    # River takes dictionaries; turning the rows into them is outside the time.
    rows = [dict(enumerate(row)) for row in x[order].tolist()]
    return lambda: play(selection(options, x.shape[1], repetition), rows, y[order].tolist())


def play(model, rows, targets):
    squared_error = 0.0
    for x, y in zip(rows, targets):
        squared_error += (model.predict_one(x) - y) ** 2
        model.learn_one(x, y)
    return len(rows), squared_error / len(rows)


def main():
    options = examples.parse(features=100, selection="bandit", rows=2000)
    x, y = examples.read(options.data)
    examples.best_of(lambda repetition: prepare(options, x, y, repetition), options.seconds)


if __name__ == "__main__":
    main()
