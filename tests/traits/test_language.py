"""Languages, by script and by little words; null where nothing is sure."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetmap.traits import is_other_language, language_of

TEXTS = {
    "en": "The answer is the second option, because the force on the cart is larger than the friction.",
    "de": "Die Antwort ist die zweite Möglichkeit, weil die Kraft auf den Wagen größer ist als die Reibung.",
    "fr": "La réponse est la deuxième option, parce que la force sur le chariot est plus grande que le frottement.",
    "es": "La respuesta es la segunda opción, porque la fuerza que actúa en el carro es mayor que la fricción.",
    "it": "La risposta è la seconda opzione, perché la forza sul carrello è più grande della forza di attrito.",
    "pt": "A resposta é a segunda opção, porque a força que atua no carrinho é maior do que a força de atrito.",
    "nl": "Het antwoord is de tweede optie, omdat de kracht op het karretje groter is dan de wrijving van de grond.",
    "pl": "Odpowiedź to druga opcja, ponieważ siła, która działa na wózek, jest większa od tarcia i nie maleje w czasie.",
    "tr": "Cevap ikinci seçenektir, çünkü araca etki eden kuvvet bir sürtünme kuvvetinden daha büyük ve bu her zaman için geçerli.",
    "id": "Jawabannya adalah pilihan kedua, karena gaya yang bekerja pada kereta itu lebih besar dari gaya gesek dan tidak berubah.",
    "vi": "Câu trả lời là phương án thứ hai, vì lực tác dụng lên xe lớn hơn lực ma sát và không thay đổi trong các trường hợp này.",
    "sv": "Svaret är det andra alternativet, eftersom kraften på vagnen är större än friktionen och inte ändras med tiden.",
    "sw": "Jibu ni chaguo la pili, kwa sababu nguvu ya gari hii ni kubwa kuliko msuguano wa barabara katika hali hiyo.",
    "ru": "Ответ — второй вариант, потому что сила, действующая на тележку, больше силы трения, и это было показано выше.",
    "uk": "Відповідь — другий варіант, тому що сила, яка діє на візок, більша за силу тертя.",
    "zh": "答案是第二个选项，因为作用在小车上的力大于摩擦力。",
    "ja": "答えは二番目の選択肢です。台車に働く力は摩擦力より大きいからです。",
    "ko": "정답은 두 번째 선택지입니다. 수레에 작용하는 힘이 마찰력보다 크기 때문입니다.",
    "ar": "الإجابة هي الخيار الثاني لأن القوة المؤثرة على العربة أكبر من قوة الاحتكاك.",
    "hi": "उत्तर दूसरा विकल्प है, क्योंकि गाड़ी पर लगने वाला बल घर्षण बल से अधिक है।",
    "bn": "উত্তরটি হল দ্বিতীয় বিকল্প, কারণ গাড়ির উপর বল ঘর্ষণের চেয়ে বেশি।",
    "th": "คำตอบคือตัวเลือกที่สอง เพราะแรงที่กระทำต่อรถมากกว่าแรงเสียดทาน",
    "el": "Η απάντηση είναι η δεύτερη επιλογή, επειδή η δύναμη στο καρότσι είναι μεγαλύτερη από την τριβή.",
    "he": "התשובה היא האפשרות השנייה, כי הכוח על העגלה גדול מכוח החיכוך.",
    "te": "సమాధానం రెండవ ఎంపిక, ఎందుకంటే బండిపై బలం ఘర్షణ కంటే ఎక్కువ.",
}


@pytest.mark.parametrize("code", TEXTS)
def test_known_languages(code: str) -> None:
    assert language_of(TEXTS[code]) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        "答案是B",
        "Paris",
        "x = 3, y = 4",
        "$\\alpha = \\beta + \\gamma$ and $\\Delta = \\epsilon$",
        "α = β + γ, Δ = λ/μ, θ = π, ω = φ·ψ, σ = τ·κ",
        "```python\nfor the in of_and_is:\n    print(the, is, and_of)\n```",
        "def f(x):\n    return x + 1",
        "1. Apples\n2. Pears\n3. Plums",
        "www.example.org/the/of/and",
        "ーーーーーーーーーーーーーーーーーーーーーーーーーーーーーー",
    ],
)
def test_nothing_sure(text: str) -> None:
    assert language_of(text) is None


def test_formulas_do_not_change_the_language() -> None:
    assert language_of(TEXTS["en"] + " Here $\\sum_{i} α_i β_i$ is the sum of all terms; Δ and Ω are given.") == "en"


@pytest.mark.parametrize("code", ["de", "zh", "ru", "sw"])
def test_another_language_than_the_question(code: str) -> None:
    assert is_other_language(TEXTS[code], TEXTS["en"])
    assert is_other_language(TEXTS["en"], TEXTS[code])
    assert not is_other_language(TEXTS[code], TEXTS[code])


def test_a_language_that_was_asked_for_is_no_other() -> None:
    assert not is_other_language(TEXTS["de"], "Translate the text that is given below into German, and keep it short.")
    assert is_other_language(TEXTS["fr"], "Translate the text that is given below into German, and keep it short.")


@pytest.mark.parametrize(("reply", "question"), [("B", TEXTS["de"]), (TEXTS["de"], "2 + 2 = ?"), ("", ""), ("42", "x")])
def test_short_texts_prove_nothing(reply: str, question: str) -> None:
    assert not is_other_language(reply, question)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_read(text: str) -> None:
    found = language_of(text)
    assert found is None or len(found) == 2
    assert not is_other_language(text, text)


@pytest.mark.parametrize("piece", ["the of ", "$a", "`", "不", "\u200f", "\ud800", "\0", "й", "\\a{", "https://"])
def test_hostile_megabytes_are_quick(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    start = time.process_time()
    language_of(text)
    assert time.process_time() - start < 0.2
