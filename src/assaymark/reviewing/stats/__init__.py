"""Statistics of a ranked review: test martingales on the number of relevant items, floor, forecast.

One idea: labels that come by any road are knowledge; uniform random draws from what is still unread
are evidence. Evidence bounds how many relevant items exist, knowledge only moves the bookkeeping.
"""

from assaymark.reviewing.stats.bound import (
    Standing,
    certified_recall,
    is_certified,
    row_of_target,
    upper_bound,
)
from assaymark.reviewing.stats.forecast import Forecast, floor_labels, floor_share, forecast
from assaymark.reviewing.stats.sequence import Batch, draw_batch, draws_of, set_digest, ticket
from assaymark.reviewing.stats.switch import (
    Experience,
    Reading,
    experience,
    left_estimate,
    wants_random,
)
from assaymark.reviewing.stats.wealth import RowWealth, log_level, log_wealth
