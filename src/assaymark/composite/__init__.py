"""Claims of several rows: one classifier against another, every group, conjunctions, cut-offs.

A claim is sealed as a survey of strata; every draw is a function of seal, seed and labels.
`sealed` is the claim as stored, `rows` its test, `strata` the pool, `sealing`, `drawing`, `looks`,
`issuing` and `verification` the steps.
"""
