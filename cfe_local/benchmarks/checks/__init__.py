"""What a person should know about a benchmark before trusting scores on it, one module per kind of matter.

Each check takes rows and yields findings; none knows any particular benchmark, none changes anything.
"""
