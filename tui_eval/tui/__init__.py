"""The full-screen app: it reads run folders and writes none."""
