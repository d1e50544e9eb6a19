"""Work around runs on real machines: whether a machine can carry a run, and sweeps over many of them."""
