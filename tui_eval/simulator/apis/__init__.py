"""The simulator's APIs: requests in, replies out, with streams, batches and faults on order."""
