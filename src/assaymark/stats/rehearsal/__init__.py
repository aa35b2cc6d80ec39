"""Rehearsals of score-guided plans: many simulated walks at once, at rates that a planner expects.

One idea: how many labels a plan takes follows from what it does – learning the rates, placing stakes,
using up a pool – so a forecast does the same on a made pool. No guarantee rests on it.
"""
