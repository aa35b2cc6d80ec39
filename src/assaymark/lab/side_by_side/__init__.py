"""Many simulated certifications of one claim at once, with method `betting/2`.

One idea: runs of the same test differ in their draws alone, so one vectorised step moves all of
them. Stakes and bets are those of the method's own code; beliefs and chances are repeated here with
an axis for runs, and the tests hold them to the method's own results.
"""
