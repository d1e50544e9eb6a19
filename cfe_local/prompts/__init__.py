"""Everything that is said to a model: templates in ``*.jinja`` and the one module that fills them in."""

from cfe_local.prompts.render import render, render_message, template_digests, template_names, text_message

__all__ = ["render", "render_message", "template_digests", "template_names", "text_message"]
