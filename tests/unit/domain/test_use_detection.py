"""What an answer used: worked examples, and answers that only look as if they did."""

import pytest

from perdure.domain.use_detection import used_among

USED = {
    "a value": (
        "Where does Ilka live?", "She lives in Porto.", ["Ilka lives in Porto."], [True],
    ),
    "one of two values": (
        "Where does Ilka live?", "She lives in Porto.",
        ["Ilka lived in Lyon until May.", "Ilka lives in Porto."], [False, True],
    ),
    "one of two numbers": (
        "When does the train leave?", "The train leaves at 9:50 from platform 3.",
        ["The train leaves at 9:40 from platform 3.", "The train leaves at 9:50 from platform 3."],
        [False, True],
    ),
    "a name with a joint": (
        "which chess opening?", "Your favourite opening is the Caro-Kann.",
        ["My favourite opening is the Caro-Kann.", "I play chess every Sunday with Bo."],
        [True, False],
    ),
    "rare words without a name": (
        "What should I order?", "Avoid the satay, since you are allergic to peanuts.",
        ["I am allergic to peanuts."], [True],
    ),
    "one sentence of a long memory": (
        "When is my appointment?", "You see Dr. Okafor on 14 March.",
        ["We talked about the garden. Meeting with Dr. Okafor on 14 March. It rained all day."],
        [True],
    ),
    "another form of a word": (
        "What should I do today?", "Take Bruno for his morning walk in the park.",
        ["Ilka walks her dog Bruno in the park every morning."], [True],
    ),
    "what is named to be denied": (
        "Where does Ilka live?", "Ilka does not live in Lyon; she lives in Porto.",
        ["Ilka lives in Lyon.", "Ilka lives in Porto."], [False, True],
    ),
    "two memories that say the same": (
        "Where does Ilka live?", "In Porto.",
        ["Ilka lives in Porto.", "Ilka lives in Porto now."], [True, True],
    ),
    "a Chinese place": (
        "我住在哪里？", "您住在南京。", ["我住在南京", "我以前住在上海"], [True, False],
    ),
    "a Chinese statement": (
        "最近有什么安排？", "项目下周五截止，请记得提交。", ["项目下周五截止"], [True],
    ),
    "a foreign name in Chinese": (
        "我最喜欢的开局是什么？", "您最喜欢的开局是尼姆佐-印度防御。",
        ["我现在更喜欢尼姆佐-印度防御", "我最喜欢的开局是卡罗-卡恩防御"], [True, False],
    ),
    "a number denied in Chinese": (
        "会议几点？", "会议在3点，不是4点。", ["会议在4点", "会议在3点"], [False, True],
    ),
    "an allergy in Chinese": (
        "我该点什么？", "花生酱面不合适，因为您对花生过敏。", ["我对花生过敏"], [True],
    ),
}  # fmt: skip

UNUSED = {
    "an answer that knows nothing": (
        "Where does Ilka live?", "I don't know where Ilka lives.", "Ilka lives in Porto.",
    ),
    "only the words of the question": (
        "Is the kettle blue?", "Which kettle do you mean, the blue one?", "The kettle is blue.",
    ),
    "one word of every day in common": (
        "Can you help me?", "I can help with the project plan.", "The project is due on Friday.",
    ),
    "common words without the name": (
        "What should I do?", "Try a walk in the park; fresh air is good for you.",
        "Ilka walks her dog Bruno in the park every morning.",
    ),
    "a number that only begins alike": (
        "How much do I owe?", "You owe 120 euros.", "The deposit was 12 euros.",
    ),
    "a name for something else": (
        "What is on TV?", "A documentary about Porto, its bridges and its wine.",
        "Ilka moved to Porto with her sister Mara in 2031.",
    ),
    "pieces that stand far apart": (
        "Tell me about the week.",
        "Porto is lovely. The weather is fine. There is a market. It closes in 2031.",
        "Ilka moved to Porto in 2031.",
    ),
    "the opposite advice": (
        "What should I order?", "I would suggest the satay with peanuts.",
        "I am allergic to peanuts.",
    ),
    "an empty answer": ("Where?", "", "Ilka lives in Porto."),
    "an empty memory": ("Where?", "In Porto.", ""),
    "Chinese: nothing known": ("我住在哪里？", "我不知道您住在哪里。", "我住在南京"),
    "Chinese: one word": ("你能帮我吗？", "我可以帮您看看项目。", "项目下周五截止"),
    "Chinese: other advice": ("我该点什么？", "建议您点宫保鸡丁。", "我对花生过敏"),
}  # fmt: skip


@pytest.mark.parametrize(("question", "answer", "texts", "expected"), USED.values(), ids=USED)
def test_an_answer_that_carries_what_is_specific_used_it(question, answer, texts, expected):
    assert used_among(answer, texts, question=question) == expected


@pytest.mark.parametrize(("question", "answer", "text"), UNUSED.values(), ids=UNUSED)
def test_what_only_looks_alike_is_no_use(question, answer, text):
    assert used_among(answer, [text], question=question) == [False]


def test_the_order_of_the_memories_is_kept():
    texts = ["Ilka lives in Porto.", "Bo plays the cello.", "The kettle is blue."]
    answer = "Bo plays the cello."
    assert used_among(answer, texts) == [False, True, False]
    assert used_among(answer, texts[::-1]) == [False, True, False]
    assert used_among(answer, []) == []
