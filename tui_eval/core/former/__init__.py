"""Names and import paths of earlier versions, which work for one release."""
