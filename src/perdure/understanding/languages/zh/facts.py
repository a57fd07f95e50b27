"""Chinese ways of stating the commonest facts, as patterns over `form_of` texts."""

from __future__ import annotations

from perdure.domain.readings import Polarity
from perdure.understanding.languages.language import FactPattern, Pattern

_END = r"(?=[,。!?;:、()“”\"…\s]|$|了(?:[,。!]|$)|的(?:[,。]|$)|吧|呢|啦|那|上班|工作)"
_O = r"(?P<o>[^,。!?;:、()“”\"…\s]{1,16}?)" + _END
_I = r"(?<![\w的])(?:我们?|咱们?|我家)"
_ADV = r"(?:现在|目前|一直|平时|都|也|还|就|主要|其实|已经|最近|真的|特别|非常|很|最|超|挺)*"


def _fact(pattern: str, predicate: str, polarity: Polarity = "+") -> FactPattern:
    return FactPattern(pattern=Pattern(pattern), predicate=predicate, polarity=polarity)


FACTS = (
    _fact(rf"{_I}(?:的)?名?字?叫{_O}", "name"),
    _fact(rf"(?:大家|朋友们?|别人|同事们?|都)\S{{0,2}}叫我{_O}", "nickname"),
    _fact(rf"^(?:以后)?(?:请|就)?叫我{_O}", "nickname"),
    _fact(rf"{_I}今年(?P<o>[\d一二三四五六七八九十]{{1,4}})岁?", "age"),
    _fact(rf"{_I}的?生日是{_O}", "born_on"),
    _fact(rf"{_I}{_ADV}住在?(?![址户处宿院]){_O}", "lives_in"),
    _fact(rf"{_I}\S{{0,4}}搬(?:家)?[到去]了?{_O}", "lives_in"),
    _fact(rf"{_I}(?:以前|之前|原来|曾经)住在?{_O}", "lives_in", "-"),
    _fact(rf"{_I}(?:已经|现在)?不住在?{_O}", "lives_in", "-"),
    _fact(rf"{_I}{_ADV}在(?P<o>[^,。!?;不]{{1,12}}?)(?:上班|工作)", "works_at"),
    _fact(rf"{_I}(?:已经|现在)?不在(?P<o>[^,。!?;]{{1,12}}?)(?:上班|工作)", "works_at", "-"),
    _fact(rf"{_I}{_ADV}对(?P<o>[^,。!?;不]{{1,10}}?)(?:严重|也|都)?过敏", "allergic_to"),
    _fact(rf"{_I}对(?P<o>[^,。!?;]{{1,10}}?)不过敏", "allergic_to", "-"),
    _fact(
        rf"{_I}最(?:喜欢|爱)的(?P<k>颜色|电影|食物|菜|饮料|季节|作家|书|歌|乐队|茶|水果|城市|运动|动物|球队|餐厅|游戏)是[《“]?{_O}",
        "favourite:",
    ),
    _fact(rf"{_I}{_ADV}(?:喜欢|爱(?!人))(?:吃|喝|看|听|去)?(?!的){_O}", "likes"),
    _fact(rf"{_I}{_ADV}(?:不喜欢|讨厌|受不了|不爱)(?:吃|喝|看|听)?{_O}", "dislikes"),
    _fact(rf"{_I}{_ADV}会(?:说|讲){_O}", "speaks"),
    _fact(rf"{_I}{_ADV}在?学(?:习)?(?P<o>[^,。!?;校]{{1,8}}?){_END}", "learning"),
    _fact(rf"{_I}{_ADV}(?P<o>吃纯?素)", "diet"),
    _fact(rf"{_I}(?:现在)?不再?(?P<o>吃素)", "diet", "-"),
    _fact(
        r"(?:养了?|有)一?[只条]\S{0,6}?(?P<o>[黑白橘花黄灰]?[狗猫]|兔子|鹦鹉|仓鼠|乌龟)",
        "has_pet",
    ),
    _fact(rf"{_I}的?(?:猫|狗|宠物)叫{_O}", "pet_name"),
    _fact(
        r"我的?(?:邮箱|电子邮件|email)\S{0,2}?(?:是|[改换变][成为]了?)\s?(?P<o>[\w.+-]+@[\w.-]+\w)",
        "email",
    ),
    _fact(r"我的?(?:电话|手机)(?:号码?)?是\s?(?P<o>[\d-]{5,})", "phone"),
    _fact(rf"{_I}在(?P<o>[^,。!?;]{{1,10}})长大", "raised_in"),
    _fact(rf"我(?:的)?(?:老婆|老公|太太|先生|妻子|丈夫|爱人)叫{_O}", "spouse"),
    _fact(rf"我(?:的)?(?:女朋友|男朋友|对象|女友|男友)叫{_O}", "partner"),
    _fact(rf"我(?:的)?(?:妹妹|姐姐|弟弟|哥哥|妹|姐|弟|哥)叫{_O}", "sibling"),
    _fact(rf"我(?:的)?(?:女儿|儿子|闺女)叫{_O}", "child"),
    _fact(rf"我(?:的)?(?:领导|老板|经理)叫{_O}", "manager"),
)

ATTRIBUTES = (
    Pattern(
        r"我(?:们|家)?的?(?P<k>[^,。!?;:是我的]{2,10})(?:现在)?是\s?(?P<o>[^,。!?;、()“”\"]{1,20})"
    ),
)
"""What something of the speaker's is, in general: its kind as the group `k`."""

FAVOURITE_KIND = Pattern(
    r"最(?:喜欢|喜爱|爱|中意|钟爱|心爱)(?:吃|喝|看|听|玩|去|用)?的(?:一?[个种首本部家款位支只条双])?"
    r"(?P<k>[\u4e00-\u9fff]{1,4}?)(?=(?:就|还|一直|永远|当然|莫过于|变|早)|是|非|[,:?。]|\s|$)"
)

OWN_NAME = Pattern(
    r"(?:(?:你好|您好|大家好|嗨|hi|hello|早|简单介绍(?:一下|下)?|自我介绍(?:一下|下)?)[\s,!。:]*)?"
    r"(?:我是|我叫|我的名字(?:是|叫)|本人|叫我|这里是|我)?\s*"
)

REPLACED = Pattern(r"(?:而?不是|不再是|别再?用|不用)\s?(?P<o>[^,。!?;:]{1,16}?)了?(?=[,。!?;:]|$)")
"""The value that another one takes the place of, as the group `o`."""

INTRODUCING = Pattern(r"(?:的?名字(?:是|叫)?|叫做?|是|,|:|名叫|就叫)?[\s“]*")
"""What stands between the word for a role and the name of who has it."""

DENYING = Pattern(r"不再|没有|不(?!好意思|过(?!敏)|但|仅|管|论|如|知)|没(?!想到|事)|别(?!的|人|忘)")
"""What denies or ends the fact that follows it in its clause."""

ARRIVING = Pattern(r"(?:搬|调|转|换|改|变|移|迁|跳)(?:到|去|来|成|为|用|进|至)了?$")
"""What shows that the value after it is the new one."""

CLAUSE = Pattern(r"[,。.;:!?、“”\"]|但|可是|不过|而且|因为|所以")
"""What parts clauses."""

INTENTION = Pattern(r"想要?(?!起|到|念|出)|打算|计划|准备|考虑|希望|盼着|争取")
"""What shows that what follows is not so yet."""

LEAVING = Pattern(r"从$|由$|辞了?$|退出了?$|离开了?$")
LEFT_FOR = Pattern(r"[^,。!?;]{0,4}(?:变|改|换|搬|跳|转|调|升)|[,。!?;]|$|了")
"""What shows that the value between the two gives way, to the one after them or to none."""

NAME_REST = Pattern(
    r"(?![是在的叫有对会不都也很最爱说要从来去跟和今住吃喝做当管用这那就把给他她我你了吗呢])[\u4e00-\u9fff]"
)
"""What completes a name of one character."""

AGAIN = Pattern(r"又(?:能|可以|开始|吃|喝)|重新|恢复")
"""What shows that something given up is taken up again."""
