"""The grammar of claims: from words to a tree.

    claim   = part {"and" part} ["in every" columns]     "in every" binds the whole claim
    part    = figure relation number                     f1 >= 0.75
            | figure relation figure ["+" | "-" number]  f1 of b >= f1 of a - 0.01
            | figure "within" number "of" name           accuracy of a within 0.02 of b
            | figure "gap between" columns "<=" number   recall gap between regions <= 0.1
    figure  = metric {"of" ("every class" | name)}       recall of spam of b
    columns = name {"and" name}                          language and region

Against a number `>` reads as "at least". Between two classifiers `>` is "better" and leaves ties
out; `>=` lets them hold. Numbers are exact fractions of what is written.
"""

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from assaymark.claims.language.tokens import (
    Kind,
    SlipError,
    Token,
    nearest,
    nearest_form,
    pointed,
    tokens,
)
from assaymark.claims.language.tree import (
    ClaimTree,
    Comparison,
    Figure,
    Gap,
    Part,
    Threshold,
    Within,
    is_reserved,
)
from assaymark.claims.metrics import (
    AVERAGES,
    ESTIMATE_ONLY,
    RATIOS,
    decimal,
    metric_name,
    spelled,
)

EVERY = ("every", "each")
ALL = ("all", "any")  # read by people as "every", and said so
INSIDE = ("in", "for")
METRICS = ("f1", "f2", "f0.5", *RATIOS, *AVERAGES)
LONGEST = 400  # digits, and size of the exponent: more is no number that anybody means
STOPS = ("of", "gap", "within", "is", "and", *INSIDE)
MARGIN_LAST = "a margin comes last, after the second figure."
AFTER_FIGURE = ("of", ">=", "<=", "within", "gap")


@lru_cache(maxsize=1024)  # a look asks for the tree of every part again and again
def parse(text: str) -> ClaimTree:
    """The claim that the words state.

    >>> str(parse("F1-score at least 75 %"))
    'f1 >= 0.75'
    >>> str(parse("recall ≥ 0.8 in every language and precision ≥ 0.7"))
    'recall >= 0.8 and precision >= 0.7 in every language'
    """
    try:
        return _Reader(tokens(text)).claim()
    except SlipError as slip:
        raise pointed(text, slip, _offer(text, slip)) from None


def _offer(text: str, slip: SlipError, *, repairs: int = 3) -> str:
    """The text with its words put right, if that can be read; otherwise the nearest example."""
    word = slip.instead or nearest(slip.token.text, slip.words)
    if word is None:
        return slip.form or nearest_form(text)
    end = slip.token.start + len(slip.token.text)
    repaired = text[: slip.token.start] + word + text[end:]
    try:
        return str(_Reader(tokens(repaired)).claim())
    except SlipError as next_slip:
        left = repairs - 1
        return _offer(repaired, next_slip, repairs=left) if left else nearest_form(text)


@dataclass
class _Reader:
    """Recursive descent over the tokens."""

    tokens: tuple[Token, ...]
    place: int = 0
    every: tuple[str, ...] = field(default=())
    named: int = -1
    """Where the name that was read last ends, if it has no quotes."""

    @property
    def here(self) -> Token:
        return self.tokens[self.place]

    def ahead(self, steps: int) -> Token:
        return self.tokens[min(self.place + steps, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.here
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return token

    def expect(self, *words: str) -> Token:
        if self.here.low not in words:
            raise SlipError(self.here, f"{_listed(words)} was expected.", words)
        return self.take()

    def claim(self) -> ClaimTree:
        parts = [self.part()]
        self.in_every()
        while self.here.low == "and":
            self.take()
            parts.append(self.part())
            self.in_every()
        if self.here.kind != "end":
            raise self.bare_name(before="end") or SlipError(
                self.here, "the claim should end here.", ("and", "in")
            )
        if self.every and any(isinstance(part, Gap) for part in parts):
            raise SlipError(self.here, "a gap between groups cannot be claimed in every group.")
        return ClaimTree(parts=tuple(parts), every=self.every)

    def in_every(self) -> None:
        if self.here.low not in INSIDE:
            return
        start = self.take()
        if self.here.low in ALL:
            raise SlipError(self.here, "'every' was expected.", instead="every")
        self.expect(*EVERY)
        if self.here.low in ("class", "classes"):
            form = "recall of every class >= 0.7"
            raise SlipError(self.here, 'classes are named with "of".', form=form)
        columns = self.columns()
        if self.here.low in INSIDE and self.ahead(1).low in EVERY:
            again = _typed([self.here, self.ahead(1)])
            raise SlipError(again, "two columns are joined by 'and'.", instead="and")
        if self.every not in ((), columns):
            raise SlipError(start, 'one claim has one "in every": state two claims.')
        self.every = columns

    def columns(self) -> tuple[str, ...]:
        names = [self.name("a column")]
        while self.here.low in ("and", ",") and self._column_follows():
            self.take()
            names.append(self.name("a column"))
        if len(set(names)) < len(names):
            raise SlipError(self.ahead(0), "a column is named twice.")
        return tuple(names)

    def _column_follows(self) -> bool:
        token, after = self.ahead(1), self.ahead(2)
        is_name = token.kind == "name" or (token.kind == "word" and not is_reserved(token.text))
        return is_name and (
            after.kind in ("end", "relation", "comma") or after.low in ("and", "is")
        )

    def part(self) -> Part:
        start = self.here
        figure = self.figure()
        if self.here.low == "within":
            return self.within(figure, start)
        if self.here.low == "gap":
            return self.gap(figure)
        if self.here.low == "is":
            self.take()
        if self.here.kind == "sign":
            raise SlipError(self.here, MARGIN_LAST, form=self.difference(figure))
        if self.here.kind != "relation":
            raise self.bare_name(before="relation") or SlipError(
                self.here, ">=, <=, within or gap was expected.", AFTER_FIGURE
            )
        relation = self.take()
        if self.here.kind in ("number", "sign"):
            return self.threshold(figure, relation)
        return self.comparison(figure, relation, start)

    def threshold(self, figure: Figure, relation: Token) -> Threshold:
        target = self.share("a target")
        if self.here.kind == "sign" and self.ahead(1).kind == "word":
            form = f"{figure} {relation.text} {self.ahead(1).text} of a {self.here.text} {decimal(target)}"
            raise SlipError(self.here, MARGIN_LAST, form=form)
        return Threshold(
            figure=figure, side="lower" if relation.is_lower else "upper", target=target
        )

    def comparison(self, figure: Figure, relation: Token, start: Token) -> Comparison:
        there = self.here
        other = self.figure()
        offset = Fraction(0)
        if self.here.kind == "sign":
            sign = -1 if self.take().text in "-−" else 1
            offset = sign * self.share("a margin")
        for side, token in ((figure, start), (other, there)):
            if not side.names:
                raise SlipError(token, 'a comparison names two classifiers: "accuracy of b".')
        if replace(other, names=other.names[:-1]) != replace(figure, names=figure.names[:-1]):
            raise SlipError(there, f"both sides must be the same figure, {figure.metric} here.")
        if other.names[-1] == figure.names[-1]:
            raise SlipError(there, f"'{other.names[-1]}' is compared with itself.")
        if not relation.is_lower:
            figure, other, offset = other, figure, -offset
        return Comparison(
            figure=figure, champion=other.names[-1], offset=offset, strict=relation.is_strict
        )

    def difference(self, figure: Figure) -> str:
        """What is meant by "f1 of b - f1 of a >= 0.01" or "f1 of b + 0.01 >= f1 of a"."""
        minus = self.take().text != "+"
        try:
            if self.here.kind == "number":
                margin, relation, other = self.share("a margin"), self.take(), self.figure()
                sign = "+" if minus else "-"
            else:
                other, relation = self.figure(), self.take()
                sign = self.take().text if self.here.kind == "sign" else "+"
                margin = self.share("a margin")
            form = f"{figure} {relation.text} {other} {sign} {decimal(margin)}"
            return str(_Reader(tokens(form)).claim())
        except SlipError:
            return f"{figure.metric} of b > {figure.metric} of a"

    def within(self, figure: Figure, start: Token) -> Within:
        self.take()
        margin = self.share("a margin")
        self.expect("of")
        there = self.here
        other = self.name("a classifier")
        if not figure.names:
            raise SlipError(start, 'a comparison names two classifiers: "accuracy of a".')
        if other == figure.names[-1]:
            raise SlipError(there, f"'{other}' is compared with itself.")
        return Within(figure=figure, other=other, margin=margin)

    def gap(self, figure: Figure) -> Gap:
        self.take()
        if self.here.low != "between":
            form = f"{figure} gap between regions <= 0.1"
            raise SlipError(self.here, "'between' was expected.", ("between",), form=form)
        self.take()
        columns = self.columns()
        if self.here.low == "is":
            self.take()
        if self.here.kind != "relation" or self.here.is_lower:
            raise SlipError(self.here, "<= was expected: a gap is claimed to be at most a number.")
        self.take()
        return Gap(figure=figure, columns=columns, limit=self.share("a gap"))

    def figure(self) -> Figure:
        metric = self.metric()
        names: list[str] = []
        every = False
        while self.here.low == "of":
            self.take()
            if self.here.low in ALL and self.ahead(1).low in ("class", "classes"):
                raise SlipError(self.here, "'every' was expected.", instead="every")
            if self.here.low in EVERY:
                every = self.every_class(first=not names and not every)
            else:
                names.append(self.name("a class or classifier"))
            if len(names) + every > 2:
                raise SlipError(
                    self.ahead(-1), "a figure has one class and one classifier at most."
                )
        return Figure(metric=metric, names=tuple(names), every_class=every)

    def every_class(self, *, first: bool) -> bool:
        token = self.take()
        if not first:
            raise SlipError(token, "the class comes before the classifier.")
        self.expect("class")
        return True

    def metric(self) -> str:
        words: list[Token] = []
        while self.here.kind == "word" and self.here.low not in STOPS:
            words.append(self.take())
        if not words:
            raise SlipError(self.here, "a metric was expected.", METRICS)
        text = " ".join(word.text for word in words)
        name = metric_name(text)
        if name is None:
            compared = {"better", "worse"} & {token.low for token in self.tokens}
            names = self.here.kind == "relation" and self.ahead(1).kind in ("word", "name")
            form = "accuracy of b > accuracy of a" if compared or names else None
            raise SlipError(_span(words, text), _no_metric(text), METRICS, form=form)
        return name

    def name(self, what: str) -> str:
        token = self.here
        if token.kind == "name" and token.value:
            return self.take().value
        if token.kind == "word" and not is_reserved(token.text):
            self.named = self.place + 1
            return self.take().value
        if token.kind in ("word", "number"):
            inside = f'"{token.text}"'
            reason = f"{what} was expected; if this is a name, put it in quotes."
            raise SlipError(token, reason, instead=inside)
        raise SlipError(token, f"{what} was expected.")

    def bare_name(self, *, before: Kind) -> SlipError | None:
        """That the name just read goes on and lacks its quotes; None where it cannot be meant so."""
        rest = [self.here]
        while rest[-1].kind not in ("relation", "end"):
            rest.append(self.ahead(len(rest)))
        end, name = rest.pop(), [self.ahead(-1), *rest]
        words = [token.low for token in rest if token.low != "and"]
        meant_otherwise = any(metric_name(word) or nearest(word, AFTER_FIGURE) for word in words)
        if self.place != self.named or not words or end.kind != before or meant_otherwise:
            return None
        whole = _typed(name)
        reason = f"if {whole.text!r} is one name, put it in quotes."
        return SlipError(whole, reason, instead=f'"{whole.text}"')

    def share(self, what: str) -> Fraction:
        sign = self.take() if self.here.kind == "sign" else None
        if self.here.kind != "number":
            raise SlipError(self.here, f"{what} was expected: a number between 0 and 1.")
        token = self.take()
        if self.here.text == "," and self.ahead(1).kind == "number":
            number = _typed([token, self.here, self.ahead(1)])
            point = number.text.replace(",", ".")
            raise SlipError(number, "a number has a point, not a comma.", instead=point)
        if self.here.text == "/" and self.ahead(1).kind == "number":
            raise self.fraction(token)
        value = _number(token)
        if (sign and sign.text != "+") or not 0 < value < 1:
            percent = f"{token.text} %" if 2 <= value < 100 and not sign else None
            reason = f"{what} must be between 0 and 1, got {sign.text if sign else ''}{token.text}."
            raise SlipError(token, reason, instead=percent)
        return value

    def fraction(self, token: Token) -> SlipError:
        """That "9/10" is written as a decimal, which is offered."""
        number = _typed([token, self.here, self.ahead(1)])
        above, below = _number(token), _number(self.ahead(1))
        share = above / below if below else Fraction(0)
        reason = "a number is written as a decimal, or in per cent."
        return SlipError(number, reason, instead=f"{float(share):.4g}" if 0 < share < 1 else None)


def _number(token: Token) -> Fraction:
    digits, mark = re.fullmatch(r"(.*?)\s*(%|percent)?", token.low).groups()  # type: ignore[union-attr]
    exponent = digits.partition("e")[2]
    if len(digits) > LONGEST or (exponent and abs(int(exponent)) > LONGEST):
        raise SlipError(token, "this number is too long.")
    return Fraction(digits) / (100 if mark else 1)


def _typed(pieces: list[Token]) -> Token:
    """These tokens as one, as it was typed, with its blanks."""
    text = ""
    for token in pieces:
        text = text.ljust(token.start - pieces[0].start) + token.text
    return _span(pieces, text)


def _span(words: list[Token], text: str) -> Token:
    return Token(kind="word", text=text, start=words[0].start)


def _no_metric(text: str) -> str:
    if spelled(text) in ESTIMATE_ONLY:
        return f"{text} can be estimated but not claimed: it is no ratio of counts."
    return f"'{text}' is no metric that can be claimed ({', '.join(METRICS)})."


def _listed(words: tuple[str, ...]) -> str:
    return " or ".join(f"'{word}'" for word in words)


def is_simple(tree: ClaimTree) -> bool:
    """Whether the claim is one metric of one classifier against a number."""
    part = tree.parts[0]
    plain = isinstance(part, Threshold) and not part.figure.names and not part.figure.every_class
    return plain and len(tree.parts) == 1 and not tree.every and part.figure.metric not in AVERAGES
