"""People look at responses or at a benchmark, label what they see, and learn how far they agree."""
