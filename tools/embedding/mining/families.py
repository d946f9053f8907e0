"""Which languages are mined, in families that share how comments and definitions look."""

PROSE = "md"
EXTENSIONS = {
    "py": "py",
    "js": "js jsx mjs cjs ts tsx",
    "rb": "rb",
    "sh": "sh bash zsh",
    "ex": "ex exs",
    "lua": "lua",
    "hs": "hs",
    "c": "go rs java kt kts cs c h cc cpp cxx hpp hh inl swift scala php zig",
    PROSE: "md mdx rst markdown",
}
FAMILY = {extension: name for name, extensions in EXTENSIONS.items() for extension in extensions.split()}
LINE_COMMENT = {"c": "//", "js": "//", "py": "#", "rb": "#", "sh": "#", "ex": "#", "lua": "--", "hs": "--"}
# Families whose comments may be /* … */, and whose functions may be written without a keyword.
BRACES = ("c", "js")


def family(path):
    """The family a file belongs to, or None where it is not mined."""
    return FAMILY.get(path.rsplit(".", 1)[-1].lower()) if "." in path else None
