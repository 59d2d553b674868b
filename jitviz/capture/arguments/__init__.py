"""What was asked for: argument trees as leaves and nodes, static values by their structure, the signature of a call.

In: one call as the user made it.  Out: `Signature`.
Must never: run code of the user's, read an array, or keep one.
"""
