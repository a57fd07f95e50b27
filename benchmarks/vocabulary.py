"""The words synthetic memories are made of: real frequent words, then invented rare ones.

Natural text has a few very frequent words and a long tail of rare ones (Zipf's law), and both ends
matter to lexical search: the head makes long posting lists, the tail makes the dictionary big.
A few hundred real words stand at the head; the tail is invented from syllables, because no word
list ships with Python and none is downloaded.
"""

from __future__ import annotations

import random


def _words(text: str) -> list[str]:
    return text.split()


FUNCTION_WORDS = _words(
    "the to and of a in is it my for i on that "
    "with at was we you this have be her his from are as "
    "but not they had by what about or so our there "
    "would when she he if can been an will has which "
    "their after before one all because up out then more just into over only some them him other"
)

COMMON_WORDS = _words(
    "meeting coffee project birthday garden flight doctor deadline recipe guitar running school "
    "daughter brother mother father friend dinner lunch breakfast budget invoice contract client "
    "server database release train station hotel beach mountain river winter summer spring autumn "
    "piano violin concert museum painting camera bicycle car kitchen bedroom window door table "
    "chair lamp book novel library language lesson teacher student exam paper research laboratory "
    "hospital medicine allergy peanut cheese bread butter "
    "apple orange lemon pepper salt sugar rice "
    "noodle soup chicken fish vegetable salad wine beer water tea juice cake chocolate cookie "
    "weekend monday tuesday wednesday thursday friday saturday sunday morning evening night week "
    "month year today tomorrow yesterday hour minute reminder appointment passport visa ticket "
    "luggage airport taxi bus subway ferry bridge tower market shop store mall price discount "
    "payment salary bank loan mortgage rent apartment "
    "house neighbour landlord roof basement garage "
    "dog cat rabbit parrot horse vet leash collar "
    "kitten puppy football tennis chess swimming yoga "
    "marathon climbing hiking skiing cycling fishing camping knitting pottery baking gardening "
    "photography programming python rust testing review deploy rollback incident backup migration "
    "prefers likes dislikes wants needs owns lives works "
    "studies moved bought sold lost found booked "
    "cancelled finished started planned visited called "
    "wrote sent received promised forgot learned "
    "favourite usually always never sometimes often rarely early late quiet loud warm cold spicy "
    "sweet bitter vegetarian vegan gluten dairy sister "
    "cousin uncle aunt grandmother colleague boss "
    "manager intern designer engineer nurse lawyer architect accountant pilot chef writer musician"
)

CHINESE_FUNCTION_WORDS = _words(
    "我 的 了 是 在 他 她 有 不 和 也 就 都 很 说 会 要 去 这 那 我们 因为 所以 但是 还是 已经 "
    "现在 以后 之前 一个"
)

CHINESE_COMMON_WORDS = _words(
    "会议 咖啡 项目 生日 花园 航班 医生 截止 菜谱 吉他 跑步 学校 女儿 弟弟 妈妈 爸爸 朋友 晚饭 "
    "午饭 早饭 预算 发票 合同 客户 火车 车站 酒店 "
    "海边 山上 冬天 夏天 春天 秋天 钢琴 音乐会 博物馆 "
    "照相机 自行车 厨房 卧室 图书馆 老师 学生 考试 论文 研究 医院 过敏 花生 奶酪 面包 苹果 橙子 "
    "米饭 面条 汤 鸡肉 鱼 蔬菜 沙拉 红酒 啤酒 茶 蛋糕 巧克力 周末 周一 周五 早上 晚上 今天 明天 "
    "昨天 提醒 预约 护照 签证 机票 行李 机场 出租车 地铁 市场 商店 价格 打折 工资 银行 贷款 房租 "
    "公寓 邻居 房东 小狗 小猫 足球 网球 象棋 游泳 瑜伽 马拉松 爬山 滑雪 钓鱼 露营 摄影 编程 测试 "
    "备份 喜欢 讨厌 想要 需要 住在 工作 学习 搬家 买了 "
    "卖了 丢了 找到 预订 取消 完成 开始 计划 拜访 "
    "忘记 最喜欢 通常 总是 从不 有时 安静 辣 甜 苦 素食 姐姐 表弟 叔叔 奶奶 同事 老板 经理 设计师 "
    "工程师 护士 律师 会计 飞行员 厨师 作家"
)

_CHINESE_CHARACTERS = (
    "天地人山水火木金石土风云雨雪花草树林江河海湖城市村路桥门窗书笔纸墨画琴棋歌舞春夏秋冬东西南北"
    "上下左右前后里外大小多少高低长短新旧快慢早晚红黄蓝绿白黑黑明暗冷热轻重远近深浅真假美丑好坏"
    "学教读写听说看想记忘爱恨喜怒哀乐生老病死吃喝睡走跑跳飞游坐站开关买卖借还送收给拿放找问答"
    "国家民族文化历史科技经济政治法律社会自然环境健康运动音乐电影电脑手机网络信息数据系统程序"
)

_ONSETS = (
    "b bl br c ch cl cr d dr f fl fr g gl gr h j k l "
    "m n p pl pr qu r s sc sh sl sp st t th tr v w z"
)
_VOWELS = "a e i o u ai ea ee io oa ou"
_CODAS = "  b ck d g l ll m n nd ng nt p r rd rk rn s ss st t x"

ENGLISH_SIZE = 30_000
CHINESE_SIZE = 6_000


def english_content_words(chance: random.Random) -> list[str]:
    """Content words, most frequent first: `COMMON_WORDS`, then invented ones, without repeats."""
    onsets, vowels, codas = _ONSETS.split(), _VOWELS.split(), _CODAS.split(" ")
    words = list(dict.fromkeys(COMMON_WORDS))
    seen = set(words) | set(FUNCTION_WORDS)
    while len(words) < ENGLISH_SIZE:
        syllables = chance.choices((1, 2, 3), weights=(1, 6, 4))[0]
        word = "".join(
            chance.choice(onsets) + chance.choice(vowels) + (chance.choice(codas) if last else "")
            for last in [False] * (syllables - 1) + [True]
        )
        if word not in seen:
            seen.add(word)
            words.append(word)
    return words


def chinese_content_words(chance: random.Random) -> list[str]:
    """Chinese content words, most frequent first; the invented ones have two characters."""
    characters = sorted(set(_CHINESE_CHARACTERS))
    words = list(dict.fromkeys(CHINESE_COMMON_WORDS))
    seen = set(words)
    while len(words) < CHINESE_SIZE:
        word = chance.choice(characters) + chance.choice(characters)
        if word not in seen:
            seen.add(word)
            words.append(word)
    return words
