"""Child process with limits of time and memory, for what a hostile text can make endless."""
