"""Own scorers run: the supervisor, and the child process that alone imports their code."""
