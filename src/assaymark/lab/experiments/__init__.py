"""The experiments by name; each is loaded only when it is run."""

from dataclasses import dataclass
from importlib import import_module

from assaymark.claims.checks import choice
from assaymark.errors import InputError
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment: what it shows, where it is, what its runs count, and whether it has fine steps."""

    name: str
    shows: str
    module: str
    function: str
    runs: str
    full: bool = False


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            name="sequential-bias",
            shows="what stopping at the first good test does to bounds made for one test",
            module="assaymark.lab.experiments.sequential_bias.experiment",
            function="sequential_bias",
            runs="growing tests per world (default 200; a learning curve per topic for every 50)",
            full=True,
        ),
        Experiment(
            name="certify-race",
            shows="how many labels each way to certify a claim needs, beside the information limit",
            module="assaymark.lab.experiments.certify_race.experiment",
            function="certify_race",
            runs="certifications per claim and method (default 20)",
        ),
        Experiment(
            name="estimate-errors",
            shows="how far estimates of F1, precision and recall are off, beside published rivals",
            module="assaymark.lab.experiments.estimate_errors.experiment",
            function="estimate_errors",
            runs="samples per pool, metric and size (default 500; 6 times as many where a rival leads)",
        ),
        Experiment(
            name="stratified",
            shows="how much stratified sampling saves, by true error and as a paper measures it",
            module="assaymark.lab.experiments.stratified.experiment",
            function="stratified",
            runs="samples per pool, way and size (default 300)",
            full=True,
        ),
        Experiment(
            name="guarantee",
            shows="how often guaranteed figures of estimates err at any look, and reading ones miss",
            module="assaymark.lab.experiments.guarantee.experiment",
            function="guarantee_cover",
            runs="samples per world and metric (default 40)",
        ),
        Experiment(
            name="triage",
            shows="how often each rule of triage breaks its promise, and how much it automates",
            module="assaymark.lab.experiments.triage.experiment",
            function="triage",
            runs="samples of development labels per world and size (default 100)",
        ),
        Experiment(
            name="test-size",
            shows="whether tests of the planned size pass as often as asked: a paper's plan and ours",
            module="assaymark.lab.experiments.test_size.experiment",
            function="sizing",
            runs="contingency tables, and pilots of each (default 20; the paper: 100)",
            full=True,
        ),
        Experiment(
            name="pairs",
            shows="recall of rare topics from two classifiers that overlap, and when it fails",
            module="assaymark.lab.experiments.pairs.experiment",
            function="pairs",
            runs="random splits per topic of a collection (default 5)",
            full=True,
        ),
        Experiment(
            name="policies",
            shows="when to stop training and certify, and what both cost together",
            module="assaymark.lab.experiments.policies.experiment",
            function="policies",
            runs="learning curves per topic with random training (default 20)",
            full=True,
        ),
        Experiment(
            name="review",
            shows="what a certified end of a review costs, and how often other rules stop too early",
            module="assaymark.lab.experiments.review.experiment",
            function="review",
            runs="reviews per topic and target (default 5)",
            full=True,
        ),
    )
}


def run_experiment(name: str, order: Order) -> Outcome:
    """Run an experiment by name; the nearest name is suggested where there is none."""
    experiment = EXPERIMENTS[choice("experiment", name, EXPERIMENTS)]
    if order.full and not experiment.full:
        fine = ", ".join(e.name for e in EXPERIMENTS.values() if e.full)
        raise InputError(
            f"The experiment '{name}' has no finer steps than its usual ones, so a full run of it means "
            f"nothing. Experiments that have: {fine}."
        )
    if order.data:
        from assaymark.lab.corpora import columns_in  # made worlds need no engine

        for path in order.data:  # before any work: a slip in a name must not cost an hour
            columns_in(path)
    function = getattr(import_module(experiment.module), experiment.function)
    outcome: Outcome = function(order)
    return outcome
