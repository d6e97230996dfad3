"""The log inspector, and one attempt in full."""
