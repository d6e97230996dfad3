"""Files to text, safely: what sort a file is of, its characters, its pages. A child process opens PDFs and web pages."""
