"""Fixed tables of names: Greek letters, functions, accents, relation signs, and what LaTeX commands stand for.

Everything that reading knows about particular words of notation is here; nothing here is specific to any data set.
"""

from __future__ import annotations

GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
]

# Letter forms that differ in print only.
VARIANTS = {
    "varepsilon": "epsilon", "varphi": "phi", "vartheta": "theta", "varrho": "rho", "varsigma": "sigma",
    "varpi": "pi", "varkappa": "kappa", "varGamma": "Gamma", "varDelta": "Delta", "varOmega": "Omega",
}  # fmt: skip

GREEK_CHARACTERS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ϑ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi",
    "π": "pi", "ρ": "rho", "ϱ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi",
    "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "∆": "Delta", "Θ": "Theta", "Λ": "Lambda",
    "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
    "\u2126": "Omega",
}  # fmt: skip

# Spelling -> canonical function name. Reciprocal and inverse names included.
FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "tg": "tan", "cot": "cot", "ctg": "cot", "sec": "sec", "csc": "csc",
    "cosec": "csc", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctg": "atan", "arccot": "acot",
    "arcsec": "asec", "arccsc": "acsc", "asin": "asin", "acos": "acos", "atan": "atan", "acot": "acot",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "coth": "coth", "sech": "sech", "csch": "csch",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "arsinh": "asinh", "arcosh": "acosh",
    "artanh": "atanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "arcoth": "acoth", "acoth": "acoth",
    "arccoth": "acoth", "exp": "exp", "ln": "ln", "log": "log", "lg": "log", "lb": "log2", "sqrt": "sqrt",
    "cbrt": "cbrt", "abs": "abs", "Abs": "abs", "sgn": "sgn", "sign": "sgn", "floor": "floor", "ceil": "ceil",
    "erf": "erf", "erfc": "erfc", "erfi": "erfi", "sinc": "sinc", "max": "max", "min": "min", "gcd": "gcd",
    "lcm": "lcm", "det": "det", "tr": "tr", "Tr": "tr", "Re": "re", "Im": "im", "arg": "arg", "atan2": "atan2",
    "gamma_fn": "gamma",
    "sup": "sup", "inf_fn": "inf", "dim": "dim", "ker": "ker", "rank": "rank", "deg_fn": "deg", "Ad": "Ad", "ad": "ad",
}  # fmt: skip

INVERSES = {
    "sin": "asin", "cos": "acos", "tan": "atan", "cot": "acot", "sec": "asec", "csc": "acsc",
    "sinh": "asinh", "cosh": "acosh", "tanh": "atanh", "coth": "acoth",
}  # fmt: skip

# Functions whose argument may follow without brackets: \sin x, ln 2.
PREFIX_FUNCTIONS = frozenset(INVERSES) | frozenset(INVERSES.values()) | {
    "exp", "ln", "log", "log2", "sech", "csch", "re", "im", "arg", "det", "tr", "erf", "erfc", "sgn", "max", "min",
    "sup", "dim", "ker", "rank", "Ad", "ad",
}  # fmt: skip

ACCENTS = {
    "hat": "hat", "widehat": "hat", "bar": "bar", "overline": "bar", "tilde": "tilde", "widetilde": "tilde",
    "check": "check", "breve": "breve", "underline": "under", "mathring": "ring",
}  # fmt: skip

DOTS = {"dot": 1, "ddot": 2, "dddot": 3}

# Type faces: kept apart only where one value uses a letter in two of them.
STYLES = {
    "mathbf": "bold", "boldsymbol": "bold", "bm": "bold", "pmb": "bold", "vec": "bold", "textbf": "bold",
    "overrightarrow": "bold", "bold": "bold", "mathcal": "cal", "mathscr": "cal", "cal": "cal", "mathfrak": "frak",
    "mathbb": "bb", "mathsf": "sf", "mathit": "", "mathnormal": "", "textit": "", "mathtt": "",
}  # fmt: skip

RELATION_COMMANDS = {
    "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "geqq": ">=",
    "lt": "<", "gt": ">", "ne": "!=", "neq": "!=", "approx": "~", "sim": "~", "simeq": "~", "cong": "cong",
    "equiv": "==", "ll": "<<", "gg": ">>", "in": "in", "notin": "notin", "subset": "subset", "subseteq": "subseteq",
    "supset": "supset", "supseteq": "supseteq", "propto": "propto", "to": "->", "rightarrow": "->", "mapsto": "->",
    "longrightarrow": "->", "parallel": "parallel", "perp": "perp", "mid": "mid", "lesssim": "<~", "gtrsim": ">~",
    "coloneqq": "=", "triangleq": "=", "doteq": "=", "rightleftharpoons": "<->", "leftrightarrow": "<->",
    "approxeq": "~", "thickapprox": "~", "ni": "ni", "nless": ">=", "ngtr": "<=",
}  # fmt: skip

RELATION_SIGNS = {
    "=": "=", "<": "<", ">": ">", "<=": "<=", ">=": ">=", "!=": "!=", "==": "=", "~": "~", ":=": "=", "->": "->",
    "<<": "<<", ">>": ">>", "=>": "implies", "<->": "<->",
}  # fmt: skip

LOGIC_COMMANDS = {
    "land": "and", "wedge": "and", "lor": "or", "vee": "or", "implies": "implies", "Rightarrow": "implies",
    "Longrightarrow": "implies", "iff": "iff", "Leftrightarrow": "iff", "oplus": "xor",
}  # fmt: skip

SET_COMMANDS = {"cup": "union", "cap": "inter", "setminus": "minus", "backslash": "minus", "bigcup": "union"}

PRODUCT_COMMANDS = frozenset({"times", "cdot", "ast", "star", "circ", "bullet"})

# Commands that print like a letter or a constant.
SYMBOL_COMMANDS = {
    "hbar": "hbar", "hslash": "hbar", "ell": "ell", "imath": "i", "jmath": "j", "nabla": "nabla", "partial": "partial",
    "Re": "Re", "Im": "Im", "aleph": "aleph", "wp": "wp", "degree": "deg", "prime": "'", "dagger": "dagger",
    "square": "square", "top": "T", "intercal": "T", "odot": "odot", "forall": "forall", "exists": "exists",
}  # fmt: skip

IGNORED_COMMANDS = frozenset(
    [
        "displaystyle",
        "textstyle",
        "scriptstyle",
        "scriptscriptstyle",
        "limits",
        "nolimits",
        "left",
        "right",
        "middle",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "biggl",
        "biggr",
        "Biggl",
        "Biggr",
        "bigm",
        "Bigm",
        "rm",
        "it",
        "bf",
        "sf",
        "tt",
        "normalfont",
        "quad",
        "qquad",
        "thinspace",
        "enspace",
        "hspace",
        "hfill",
        "medspace",
        "thickspace",
        "negthinspace",
        "nobreak",
        "allowbreak",
        "hline",
        "ensuremath",
        "notag",
        "nonumber",
        "centering",
        "strut",
    ]
)

SUBSCRIPT_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ", "0123456789+-=()aeoxhklmnpstijruv")
SUPERSCRIPT_DIGITS = str.maketrans(
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁᵂ",
    "0123456789+-=()niabcdefghjklmoprstuvwxyzABDEGHIJKLMNOPRTUW",
)

CHARACTER_COMMANDS = {
    "×": "\\times ", "·": "\\cdot ", "⋅": "\\cdot ", "∙": "\\cdot ", "•": "\\cdot ", "∗": "*", "⁎": "*",
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "－": "-", "÷": "/", "∕": "/", "⁄": "/",
    "±": "\\pm ", "∓": "\\mp ", "≤": "\\le ", "⩽": "\\le ", "≦": "\\le ", "≥": "\\ge ", "⩾": "\\ge ", "≧": "\\ge ",
    "≠": "\\ne ", "≈": "\\approx ", "≃": "\\approx ", "∼": "\\sim ", "≅": "\\cong ", "≡": "\\equiv ",
    "≪": "\\ll ", "≫": "\\gg ", "∈": "\\in ", "∉": "\\notin ", "⊂": "\\subset ", "⊆": "\\subseteq ",
    "⊃": "\\supset ", "⊇": "\\supseteq ", "∪": "\\cup ", "∩": "\\cap ", "∖": "\\setminus ", "∅": "\\emptyset ",
    "→": "\\to ", "⟶": "\\to ", "↦": "\\mapsto ", "⇒": "\\implies ", "⟹": "\\implies ", "⇔": "\\iff ",
    "⟺": "\\iff ", "↔": "\\leftrightarrow ", "⇌": "\\rightleftharpoons ", "∧": "\\land ", "∨": "\\lor ",
    "¬": "\\lnot ", "∝": "\\propto ", "∞": "\\infty ", "√": "\\sqrt ", "∛": "\\sqrt[3]", "∫": "\\int ",
    "∬": "\\iint ", "∮": "\\oint ", "∑": "\\sum ", "∏": "\\prod ", "∂": "\\partial ", "∇": "\\nabla ",
    "°": "^\\circ ", "º": "^\\circ ", "′": "'", "’": "'", "‘": "'", "″": "''", "‴": "'''", "“": '"', "”": '"',
    "ℏ": "\\hbar ", "ħ": "\\hbar ", "ℓ": "\\ell ", "ℝ": "\\mathbb{R}", "ℤ": "\\mathbb{Z}", "ℕ": "\\mathbb{N}",
    "ℚ": "\\mathbb{Q}", "ℂ": "\\mathbb{C}", "⟨": "\\langle ", "⟩": "\\rangle ", "〈": "\\langle ", "〉": "\\rangle ",
    "⌊": "\\lfloor ", "⌋": "\\rfloor ", "⌈": "\\lceil ", "⌉": "\\rceil ", "‖": "\\|", "∥": "\\|", "∠": "\\angle ",
    "…": "\\cdots ", "⋯": "\\cdots ", "½": "\\frac{1}{2}", "⅓": "\\frac{1}{3}", "⅔": "\\frac{2}{3}",
    "¼": "\\frac{1}{4}", "¾": "\\frac{3}{4}", "⅕": "\\frac{1}{5}", "⅖": "\\frac{2}{5}", "⅗": "\\frac{3}{5}",
    "⅘": "\\frac{4}{5}", "⅙": "\\frac{1}{6}", "⅚": "\\frac{5}{6}", "⅛": "\\frac{1}{8}", "⅜": "\\frac{3}{8}",
    "⅝": "\\frac{5}{8}", "⅞": "\\frac{7}{8}", "‰": "\\permille ", "£": "\\pounds ", "€": "\\euro ", "Å": "\\AA ",
    "\u212b": "\\AA ", "☉": "\\odot ", "⊙": "\\odot ", "∀": "\\forall ", "∃": "\\exists ", "⊥": "\\perp ",
    "†": "\\dagger ", "★": "*", "⊕": "\\oplus ", "⊗": "\\otimes ", "ı": "\\imath ", "ȷ": "\\jmath ",
    "\u00a0": " ", "\u2009": " ", "\u200a": " ", "\u202f": " ", "\u2002": " ", "\u2003": " ", "\u200b": "",
    "\u2061": "", "\u2062": "", "\ufeff": "", "（": "(", "）": ")", "，": ",", "：": ":", "；": ";", "。": ".",
}  # fmt: skip

COMBINING_ACCENTS = {
    "\u0302": "hat", "\u0304": "bar", "\u0305": "bar", "\u0303": "tilde", "\u0307": "dot", "\u0308": "ddot",
    "\u20d7": "vec", "\u030c": "check", "\u0306": "breve", "\u030a": "mathring",
}  # fmt: skip
