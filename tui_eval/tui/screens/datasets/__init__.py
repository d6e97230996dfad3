"""Sets of questions: listed, brought in, read, selected and edited."""
