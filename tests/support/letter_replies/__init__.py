"""Generated replies to multiple-choice questions, each with the letter that it declares, and the laws of reading them.

Written without a look at the rule: what a reply declares is what a demanding speaker of its language would say.
"""
