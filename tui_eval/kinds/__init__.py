"""The kinds of evaluation there are, by the name a config gives."""

from tui_eval.kinds.call import CALL
from tui_eval.kinds.choice import CHOICE
from tui_eval.kinds.panel import PANEL
from tui_eval.kinds.shared.kind import Kind

KINDS: dict[str, Kind] = {PANEL.name: PANEL, CHOICE.name: CHOICE, CALL.name: CALL}
