"""What models answered to questions with lettered options, side by side: sheets, figures, tables, pages, and runs merged."""
