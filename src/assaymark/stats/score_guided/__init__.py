"""The score-guided test: bets on labels drawn from strata of the scores."""
