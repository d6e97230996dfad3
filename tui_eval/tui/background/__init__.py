"""Work beside the screen: child processes, followers of logs, the order of keys, frames."""
