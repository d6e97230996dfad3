"""The models on file: their servers, keys, prices, and what was found out about them."""
