"""From a log to results: reports, re-scoring, gates, repeats, leaderboards; runs of imports and of single calls."""
