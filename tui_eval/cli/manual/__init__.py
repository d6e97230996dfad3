"""The pages of docs/ as a person reads them who has the program and no checkout."""
