"""Files to what evaluations ask: question sets, lettered questions, documents, attachments."""
