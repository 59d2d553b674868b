"""Views drawn: as text, as static HTML, as a page, as a trace for Perfetto.

In: a `Recording`, shaped by `jitviz.views`.  Out: text and files.
Must never: decide what is shown, or let a text of the user through unescaped.
"""
