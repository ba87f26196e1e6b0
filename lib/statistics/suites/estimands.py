"""Success of an agent at several scenarios, and its two standard errors: for this suite, and for new scenarios.

A binomial standard error over all continuations is right for neither, since continuations of one scenario resemble each
other.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class ScenarioMean(NamedTuple):
    """The mean of an agent's success rates at each scenario; a value is None where it cannot be computed.

    Attributes:
        scenarios: The number of scenarios with a judged continuation.
        mean: The mean of their rates. It equals the pooled rate where each scenario has as many continuations.
        se_suite: Its standard error for these very scenarios: only the continuations would be others.
        se_population: Its standard error for new scenarios of the same kind.
    """

    scenarios: int
    mean: float | None
    se_suite: float | None
    se_population: float | None


def scenario_means(successes: npt.ArrayLike, n: npt.ArrayLike) -> list[ScenarioMean]:
    """The mean of the scenarios' rates for each agent.

    With the rate m_s of scenario s, C_s continuations of it and S scenarios:

        se_suite = sqrt(sum of m_s (1 - m_s) / (C_s - 1)) / S
        se_population = standard deviation of the m_s / sqrt(S)

    Args:
        successes: Number of successes, shape (agents, scenarios).
        n: Number of judged continuations, shape (agents, scenarios). Scenarios without any are left out.

    Returns:
        `se_suite` is None where a scenario has a single continuation, since it does not show how continuations vary.
        `se_population` is None where there is a single scenario.

    Source: stratified and clustered sampling, Cochran (1977), "Sampling Techniques", sections 5.3 and 9.3.

    >>> scenario_means([[3, 1]], [[4, 4]])[0]
    ScenarioMean(scenarios=2, mean=0.5, se_suite=0.1767766952966369, se_population=0.25)
    """
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    tried = tries > 0
    rates = np.divide(hits, tries, out=np.zeros(hits.shape), where=tried)
    counts = tried.sum(axis=1)
    means = np.divide(rates.sum(axis=1), counts, out=np.zeros(len(counts)), where=counts > 0)
    several = tries > 1
    within = np.divide(rates * (1 - rates), tries - 1, out=np.zeros(hits.shape), where=several).sum(axis=1)
    between = np.where(tried, (rates - means[:, None]) ** 2, 0.0).sum(axis=1)
    is_repeated = (tries != 1).all(axis=1).tolist()
    return [
        ScenarioMean(
            scenarios=size,
            mean=float(means[at]) if size else None,
            se_suite=float(np.sqrt(within[at])) / size if size and is_repeated[at] else None,
            se_population=float(np.sqrt(between[at] / (size - 1) / size)) if size > 1 else None,
        )
        for at, size in enumerate(counts.tolist())
    ]
