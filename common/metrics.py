"""Counts of the web server's processes for `/metrics`; `web/monitoring/metrics.py` adds what the database knows."""

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]

REQUESTS = Counter(
    "crosswalk_requests", "Requests answered, by route, method and status.", ["route", "method", "status"]
)
LATENCY = Histogram(
    "crosswalk_request_seconds",
    "Seconds until the answer of a request begins, by route.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
CLAIMS = Counter(
    "crosswalk_claims", "Claims of workers: `new` or `again` the task they hold, `none`, `refused`.", ["result"]
)
DOUBLE_CLAIMS = Counter(
    "crosswalk_double_claim_attempts", "Claims that a constraint of the database kept from holding a place twice."
)
SUBMISSIONS = Counter("crosswalk_submissions", "Answers handed in: `taken` or `refused`.", ["result"])
SOCKETS = Gauge("crosswalk_sockets", "Open sockets, by kind.", ["kind"], multiprocess_mode="livesum")
