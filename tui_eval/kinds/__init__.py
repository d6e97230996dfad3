"""The kinds of evaluation there are, by the name a config gives."""

from tui_eval.core.kinds import Kind
from tui_eval.kinds.call import CALL
from tui_eval.kinds.choice import CHOICE
from tui_eval.kinds.panel import PANEL

KINDS: dict[str, Kind] = {PANEL.name: PANEL, CHOICE.name: CHOICE, CALL.name: CALL}
