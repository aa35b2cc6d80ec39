"""Rehearsals of score-guided plans and claims: many simulated runs at once, at rates that a planner expects.

One idea: how many labels a plan takes follows from what it does – learning the rates, placing stakes,
using up a pool – so a forecast does the same on a made pool: `walks` for one claim, `courses` for claims
of several rows. No guarantee depends on it.
"""
