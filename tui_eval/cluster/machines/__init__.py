"""The places of workers: on this machine, started on others by SSH, or at an address."""
