"""The log of capture: what is open, the functions that were seen, the history, and the events for each recording.

In: what hooks and adapters see.  Out: events.
"""
