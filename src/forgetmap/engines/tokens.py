"""Texts as tokens, each piece once.

Few-shot examples are the same for all items of a task and longer than any of them. Their tokens are kept, and those of what
follows are put behind them, where that gives what the whole text gives: which is tried, for every way in which two pieces
can meet, before it is relied on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from forgetmap.engines.branches import Branched
from forgetmap.errors import EngineError

#: Characters on both sides of a seam that decide how a tokenizer cuts there, and those it is tried with.
_NEAR = 8
_TRIED = 64
#: Pieces kept at a time: some hundred megabytes at most.
_MOST = 200_000
_PROBE = "Try this:  one, 'two' 33\n\nthree's été"


def _cut(text: str, prefix: int) -> int:
    """Where a text is cut behind its beginning: before the blanks there, which belong to what follows; 0 is nowhere."""
    return len(text[:prefix].rstrip()) if prefix < len(text) else 0


class Tokens:
    """A tokenizer of transformers."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._backend = getattr(tokenizer, "backend_tokenizer", None)
        if self._backend is not None and any(
            self._slow(_PROBE, one) != self._quick(_PROBE, one) for one in (True, False)
        ):
            self._backend = None
        #: Some tokenizers were saved such that they end every text. What is to be continued must not have ended.
        whole, bare = (self._slow(_PROBE, one) for one in (True, False))
        end = tokenizer.eos_token_id
        self._closing = int(end is not None and whole[-1] == end and bare[-1] != end)
        self._seams: dict[tuple[str, str, bool], bool] = {}
        self._known: dict[tuple[str, bool], tuple[int, ...]] = {}

    def _slow(self, text: str, special: bool) -> tuple[int, ...]:
        return tuple(self._tokenizer(text, add_special_tokens=special).input_ids)

    def _quick(self, text: str, special: bool) -> tuple[int, ...]:
        return tuple(self._backend.encode(text, add_special_tokens=special).ids)  # type: ignore[union-attr]

    def _encode(self, text: str, special: bool) -> tuple[int, ...]:
        return self._open(self._slow(text, special) if self._backend is None else self._quick(text, special), special)

    def _open(self, tokens: Sequence[int], special: bool) -> tuple[int, ...]:
        return tuple(tokens[: len(tokens) - self._closing] if special else tokens)

    def _kept(self, text: str, special: bool) -> tuple[int, ...]:
        found = self._known.get((text, special))
        if found is None:
            found = self._known[text, special] = self._encode(text, special)
        return found

    def read(self, pieces: Iterable[tuple[str, bool]]) -> None:
        """Encode pieces that are about to be asked for, all at once: on many cores, where there are many."""
        wanted = list(dict.fromkeys(piece for piece in pieces if piece not in self._known))
        if len(self._known) + len(wanted) > _MOST:
            self._known.clear()
        if self._backend is None:
            return
        for special in (True, False):
            texts = [text for text, one in wanted if one is special]
            found = self._backend.encode_batch_fast(texts, add_special_tokens=special) if texts else []
            self._known |= {
                (text, special): self._open(one.ids, special) for text, one in zip(texts, found, strict=True)
            }

    @staticmethod
    def pieces(
        text: str, continuations: Sequence[str] = (), prefix: int = 0, *, special: bool = True
    ) -> list[tuple[str, bool]]:
        """Return the pieces that a text and its continuations are encoded in."""
        bare = text.rstrip() if continuations else text
        moved = text[len(bare) :]
        cut = _cut(bare, prefix)
        own = [(bare[:cut], special), (bare[cut:], False)] if cut else [(bare, special)]
        return own + [(moved + one, False) for one in continuations]

    def encode(self, text: str, prefix: int = 0, *, special: bool = True) -> tuple[int, ...]:
        """Return the tokens of a text, of which so many characters at the beginning stand before other texts too."""
        cut = _cut(text, prefix)
        if not cut:
            return self._kept(text, special)
        begun, rest = text[:cut], text[cut:]
        if self._meet(begun, rest, special):
            return self._kept(begun, special) + self._kept(rest, False)
        return self._encode(text, special)

    def kept(self, text: str) -> tuple[int, ...]:
        """Return the tokens of a beginning that many texts share, less the blanks at its end."""
        return self._kept(text.rstrip(), True)

    def _meet(self, begun: str, rest: str, special: bool) -> bool:
        """Whether the tokens of two pieces are those of the text they make up."""
        if not (begun[-1:].isspace() or rest[:1].isspace()):  # within a word, which may be of any length
            return self._encode(begun, special) + self._encode(rest, False) == self._encode(begun + rest, special)
        seam = (begun[-_NEAR:], rest[:_NEAR], special)
        found = self._seams.get(seam)
        if found is None:
            near, far = begun[-_TRIED:], rest[:_TRIED]
            special = special and near == begun  # what opens a text does not stand in its middle
            joined = self._encode(near, special) + self._encode(far, False)
            found = self._seams[seam] = joined == self._encode(near + far, special)
        return found

    def split(
        self, text: str, continuations: Sequence[str], prefix: int = 0, *, special: bool = True, longest: int = 1 << 30
    ) -> Branched:
        """Return a context and its continuations: the tokens of both together, less those of the context.

        Blanks at the end of the context belong to the word that follows. A context that does not fit into `longest` tokens
        with its continuations loses its beginning.
        """
        bare = text.rstrip()
        moved = text[len(bare) :]
        context = self.encode(bare, min(prefix, len(bare)), special=special)
        found = []
        for continuation in continuations:
            following = moved + continuation
            own = self._kept(following, False)
            if not self._meet(bare, following, special):
                own = self._encode(bare + following, special)[len(context) :]
            if not own:
                raise EngineError(
                    f"the continuation {continuation!r} has no token of its own after {bare[-20:]!r}; give one that is not empty "
                    "and does not melt into the word before it"
                )
            found.append(own)
        context = context or (self._start(),)
        room = longest - max(map(len, found))
        return Branched(context[len(context) - max(room, 1) :] if room < len(context) else context, tuple(found))

    def _start(self) -> int:
        """What stands before a text that begins with its continuation."""
        first = self._tokenizer.bos_token_id
        return int(self._tokenizer.eos_token_id if first is None else first)
