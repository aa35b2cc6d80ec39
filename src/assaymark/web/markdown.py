"""The review protocol as people read it: Markdown without raw HTML, links that lead to the web only."""

from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from assaymark.web.display import visible


@lru_cache(maxsize=1)
def _renderer() -> MarkdownIt:
    # HTML in the source is shown as text; pictures are left out, as nothing is fetched from elsewhere
    made = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    made.enable(["table", "strikethrough"]).disable(["image", "html_block", "html_inline"])
    made.validateLink = lambda url: url.lower().startswith(("https://", "http://", "#"))  # type: ignore[method-assign]
    made.add_render_rule("link_open", _link)
    return made


def _link(renderer, tokens, place, options, env):  # type: ignore[no-untyped-def]
    tokens[place].attrSet("rel", "noopener noreferrer nofollow")
    tokens[place].attrSet("target", "_blank")
    return renderer.renderToken(tokens, place, options, env)


@lru_cache(maxsize=64)
def rendered(text: str) -> Markup:
    """The text as HTML that holds nothing but what Markdown can say.

    >>> rendered("**Relevant**: <b>money</b> back")
    Markup('<p><strong>Relevant</strong>: &lt;b&gt;money&lt;/b&gt; back</p>\\n')
    >>> rendered("[x](javascript:alert(1))")
    Markup('<p>[x](javascript:alert(1))</p>\\n')
    """
    return Markup(_renderer().render(visible(text)))  # noqa: S704 - made by the renderer above
