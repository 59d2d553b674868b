"""Writes what a panel and its kernel say of the program in training.py, for the tests in a browser.

Run as `PYTHONPATH=../../.. python write.py` in this folder, when what is said has changed.
In: training.py.  Out: training.json, with the view and the answers to all that a panel may ask.
"""

import json
from pathlib import Path

import jax.numpy as jnp
from training import step

import jitviz
from jitviz.display.answers import answer, list_program_questions, name_question
from jitviz.views import shape_panel
from jitviz.views.screen_limits import PANEL

with jitviz.record() as recording:
    for n in (2, 5):
        step(jnp.ones((2, 4, 4)), jnp.ones((n, 4)))

panel = shape_panel(recording, PANEL)
answers = {}
for kind, params in list_program_questions(panel):
    if kind != "graph":  # has tests of its own
        answers[name_question(kind, params)] = answer(recording, kind, params)
text = json.dumps({"view": panel, "answers": answers}, default=vars, ensure_ascii=False, separators=(",", ":"))
Path("training.json").write_text(text + "\n", encoding="utf-8")
