"""Claims of several parts before their first label: strata, sizes, forecast, seal."""
