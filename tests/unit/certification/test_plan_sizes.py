"""A plan's size where it is larger than what there is to label."""

DRAWS = "A plan size counts random draws. Only 2,000 items can be labelled"


def test_a_plan_size_beyond_the_pool_says_that_it_counts_draws(assaymark, project) -> None:
    """A budget plan of 29,838 in a pool with 2,934 items left looked like a mistake."""
    told = assaymark("plan", "accuracy >= 0.9", "--expect", 0.91, "--forecast", "-p", project)
    assert DRAWS in told.out
    easy = assaymark("plan", "accuracy >= 0.7", "--expect", 0.95, "--forecast", "-p", project)
    assert DRAWS not in easy.out
