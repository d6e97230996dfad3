"""python -m tui_eval"""

import sys

from tui_eval.cli.command_line import main

sys.exit(main())
