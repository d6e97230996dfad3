"""Models as judges of answers: rubrics, judge panels, pairwise preference, claims, attacks, and reports on the judges."""
