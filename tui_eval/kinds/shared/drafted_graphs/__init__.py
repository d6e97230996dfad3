"""Decision graphs that models draft: what they are asked by, rules and scores, drawings, and the pages about a run of them."""
