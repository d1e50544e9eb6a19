"""LaTeX commands whose first letter a JSON or Python decoder can eat: b, f, n, r, t (and a, v).

A word list, because a tab or a carriage return before any other word may be genuine. The names are LaTeX2e's and
amsmath's own; nothing here says what they mean.
"""

from __future__ import annotations

_B = """
backepsilon backprime backsim backsimeq backslash bar barwedge bbox because begin beta beth between bf bfseries big
bigcap bigcirc bigcup bigg biggl biggm biggr bigl bigm bigodot bigoplus bigotimes bigr bigsqcup bigstar bigtriangledown
bigtriangleup biguplus bigvee bigwedge binom blacklozenge blacksquare blacktriangle blacktriangledown
blacktriangleleft blacktriangleright bm bmod boldmath boldsymbol bot bowtie box boxdot boxed boxminus boxplus boxtimes
bra breve bullet bumpeq
"""
_F = """
fallingdotseq fbox fcolorbox figure flat fontsize footnote footnotesize forall frac framebox frown
"""
_R = """
raggedright raise raisebox rangle rbrace rbrack rbrakk rceil rdots ref relax renewcommand restriction rfloor rgroup
rhd rho right rightarrow rightarrowtail righteq rightharpoondown rightharpoonup rightleftarrows rightleftharpoons
rightrightarrows rightsquigarrow rightthreetimes risingdotseq rm rmoustache rtimes rule rvert rVert
"""
_T = """
tabular tag tan tanh tau tbinom tbox text textbf textcircled textcolor textdegree textgreater textit textless textmd
textmu textnormal textrm textsc textsf textsl textstyle textsuperscript textsubscript texttt textup tfrac therefore
theta thetasym thickapprox thicksim thickspace thinspace tilde times tiny to top triangle triangledown triangleleft
trianglelefteq triangleq triangleright trianglerighteq twoheadleftarrow twoheadrightarrow
"""

COMMANDS = frozenset(" ".join((_B, _F, _R, _T)).split())

# Commands whose rest is a word or name by itself: a tab before "an apple" is no lost \\tan.
AMBIGUOUS = frozenset({"tan", "to", "top", "tbox", "rm", "rangle", "rbrace", "rbrack", "rceil", "rfloor", "rgroup"})
