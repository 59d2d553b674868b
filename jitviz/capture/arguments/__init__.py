"""The arguments of a call: trees as leaves and nodes, descriptions of static values, the signature of the call.

In: one call as the user made it.  Out: `Signature`.
"""
