"""Own scorers of a config: where their code lies, whether it may run, and the scores on file."""
