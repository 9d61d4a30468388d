"""Matches on many machines: dask.distributed carries them, `arena worker` plays them."""
