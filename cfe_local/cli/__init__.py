"""The command line: verbs, printing, logging and exit codes. Nothing is computed here."""
