"""What every kind of evaluation does alike."""
