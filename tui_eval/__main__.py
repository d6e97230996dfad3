"""python -m tui_eval"""

import sys

from tui_eval.cli import main

sys.exit(main())
