"""Engines: what turns cases into responses. Import the modules themselves; heavy packages load only when used."""
