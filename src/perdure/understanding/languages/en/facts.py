"""English ways of stating the commonest facts, as patterns over `form_of` texts."""

from __future__ import annotations

from perdure.domain.readings import Polarity
from perdure.understanding.languages.language import FactPattern, Pattern

_END = r"(?=\s*(?:[.,;:!?()\"”]|$|-\s|\b(?:and|but|so|because|since|as|for|with|who|which|that|while|though|now|too|these\ days|any\ ?more|by\ the\ way|at\ the\ moment|instead|until|from|last|next|this|in|on|at)\b))"
_O = r"(?P<o>\w[^.,;:!?()\"“”]{0,60}?)" + _END
_NAME = r"(?P<o>[\w][\w'-]*(?:\s[\w][\w'-]*){0,2}?)" + _END
_I = r"(?<!\w)(?:i|we)"
_AM = r"(?<!\w)(?:i\ am|i'm|im|we\ are|we're)"
_HAVE = r"(?<!\w)(?:i|we)(?:\ have|'ve|\ also\ have|'ve\ got|\ have\ got)?"
_ADV = r"(?:\ (?:also|now|currently|still|really|mostly|actually|always|just|usually|both|all))*"


def _fact(pattern: str, predicate: str, polarity: Polarity = "+") -> FactPattern:
    return FactPattern(pattern=Pattern(pattern), predicate=predicate, polarity=polarity)


FACTS = (
    _fact(rf"(?<!\w)my\ (?:full\ |first\ |real\ )?name\ is\ {_NAME}", "name"),
    _fact(rf"{_AM}\ called\ {_NAME}", "name"),
    _fact(
        rf"(?:everyone|everybody|people|friends|they\ all|most\ people)\ calls?\ me\ {_NAME}",
        "nickname",
    ),
    _fact(rf"^(?:please\ |just\ )*call\ me\ {_NAME}", "nickname"),
    _fact(rf"{_AM}\ (?P<o>\d{{1,3}})\ (?:years\ old|yrs)", "age"),
    _fact(r"my\ birthday\ is\ (?:on\ )?(?P<o>[^.,;!?]{3,30}?)(?=\s*[.,;!?]|$|\ and\b)", "born_on"),
    _fact(rf"{_I}{_ADV}\ (?:live|reside)\ (?:in|at|on)\ {_O}", "lives_in"),
    _fact(rf"{_I}(?:'ve|\ have)?\ (?:just\ |recently\ )?moved\ (?:back\ )?to\ {_O}", "lives_in"),
    _fact(rf"{_I}\ used\ to\ live\ (?:in|at)\ {_O}", "lives_in", "-"),
    _fact(
        rf"{_I}(?:\ (?:don't|do\ not)\ live\ (?:in|at)|\ no\ longer\ live\ (?:in|at))\ {_O}",
        "lives_in",
        "-",
    ),
    _fact(rf"{_I}{_ADV}\ work\ (?:at|for)\ (?:the\ )?{_O}", "works_at"),
    _fact(
        rf"{_I}(?:\ no\ longer|\ don't|\ used\ to)\ work\ (?:at|for)\ (?:the\ )?{_O}",
        "works_at",
        "-",
    ),
    _fact(rf"{_I}(?:\ work|'m\ working)\ as\ (?:a|an|the)\ {_O}", "job_title"),
    _fact(rf"{_AM}\ (?:severely\ |very\ |also\ |mildly\ )?allergic\ to\ {_O}", "allergic_to"),
    _fact(rf"{_AM}\ not\ allergic\ to\ {_O}", "allergic_to", "-"),
    _fact(
        rf"my\ favou?rite\ (?P<k>colou?r|film|movie|food|drink|season|author|book|band|song|tea|coffee|fruit|dish|city|sport|animal|team|bakery|restaurant|game|show|place)(?:\ of\ all\ time|\ ever)?\ is\ (?:\"|“)?{_O}",
        "favourite:",
    ),
    _fact(
        rf"{_I}{_ADV}\ (?:love|adore|enjoy|like)\ (?!to\ (?:know|see|ask|have)|it|that|this|you|how|the\ (?:idea|way))(?:the\ )?{_O}",
        "likes",
    ),
    _fact(
        rf"{_I}{_ADV}\ (?:hate|can't\ stand|cannot\ stand|don't\ like|dislike|detest|loathe|can't\ bear)\ (?!it|that|this|how|when|to)(?:the\ )?{_O}",
        "dislikes",
    ),
    _fact(rf"{_I}\ prefer\ (?P<o>\w[^.,;!?]{{0,40}}?)\ (?:to|over|rather\ than)\ ", "prefers"),
    _fact(rf"{_I}{_ADV}\ speak\ (?P<o>[a-z]+)", "speaks"),
    _fact(rf"{_AM}{_ADV}\ learning\ (?:to\ (?:speak|play)\ )?{_O}", "learning"),
    _fact(rf"{_AM}{_ADV}\ (?:a\ )?(?P<o>vegan|vegetarian|pescatarian)", "diet"),
    _fact(rf"{_AM}\ no\ longer\ (?:a\ )?(?P<o>vegan|vegetarian|pescatarian)", "diet", "-"),
    _fact(
        rf"{_I}(?:'ve)?\ (?:have|got|own|adopted)\ (?:a|an|two|three)\ (?:\w+\ )?(?P<o>dog|cat|rabbit|hamster|parrot|tortoise|puppy|kitten|goldfish|horse|pony)s?\b",
        "has_pet",
    ),
    _fact(
        rf"my\ (?:\w+\ )?(?:dog|cat|rabbit|hamster|parrot|puppy|kitten|pet)\ is\ (?:called|named)\ {_NAME}",
        "pet_name",
    ),
    _fact(
        r"my\ (?:new\ )?(?:email|e-mail)(?:\ address)?\ (?:is\ now|is|(?:has\ )?changed\ to)\ (?P<o>[\w.+-]+@[\w.-]+\w)",
        "email",
    ),
    _fact(r"my\ (?:phone\ |mobile\ )?(?:number|phone)\ is\ (?P<o>\+?[\d][\d\s-]{4,}\d)", "phone"),
    _fact(rf"{_I}{_ADV}\ use\ {_O}", "uses"),
    _fact(rf"{_I}\ study\ (?P<o>[a-z]+(?:\ [a-z]+)?)\ at\ ", "field_of_study"),
    _fact(rf"{_I}\ study\ (?:[a-z]+\ )*at\ (?:the\ )?{_O}", "studies_at"),
    _fact(rf"{_I}\ grew\ up\ in\ {_O}", "raised_in"),
    _fact(rf"{_I}\ was\ born\ in\ (?!\d){_O}", "born_in"),
    _fact(r"my\ (?:wife|husband)(?:\ is\ called|'s\ name\ is|\ is\ named)\ (?P<o>\w+)", "spouse"),
    _fact(
        r"my\ (?:partner|girlfriend|boyfriend|fiancee?)(?:\ is\ called|'s\ name\ is|\ is\ named)\ (?P<o>\w+)",
        "partner",
    ),
    _fact(
        r"my\ (?:sister|brother)(?:\ is\ called|'s\ name\ is|\ is\ named)\ (?P<o>\w+)", "sibling"
    ),
    _fact(r"my\ (?:daughter|son)(?:\ is\ called|'s\ name\ is|\ is\ named)\ (?P<o>\w+)", "child"),
    _fact(r"my\ (?:manager|boss)(?:\ is\ called|'s\ name\ is|\ is\ named)\ (?P<o>\w+)", "manager"),
)

ATTRIBUTES = (
    Pattern(
        r"(?<!\w)(?:my|our)\ (?P<k>[a-z][\w' -]{1,40}?)\ (?:is\ now|is|are|ends\ in|starts\ at|begins\ at|closes\ at)\ "
        r"(?P<o>[^,;!?()\"“”]{1,40}?)(?=\s*(?:[.,;!?)\"”](?:\s|$)|$))"
    ),
)
"""What something of the speaker's is, in general: its kind as the group `k`."""

_NO_KIND = r"(?:is|are|was|were|has|of|to|in|at|by|for|on|would|will|ever|remains?|these|right|you|and|used|goes|now|must|still|one)\b"
FAVOURITE_KIND = Pattern(
    rf"\bfav(?:ou?rite|e|s)?\ (?:all-time\ )?(?!{_NO_KIND})(?P<k>[^\W\d][\w-]*(?:\ (?!{_NO_KIND})[^\W\d][\w-]*(?!'))?)"
)

OWN_NAME = Pattern(
    r"(?:(?:hi|hello|hey|good\ \w+|so|well|yes|no|ok|also|quick\ intro)[\s,!.:-]*(?:there|all|everyone|again)?[\s,!.:-]*)?"
    r"(?:i'?m|i\ am|my\ (?:full\ |first\ )?name(?:'s|\ is)|this\ is|it'?s|it\ is|call\ me|the\ name(?:'s|\ is))?\s*"
)

REPLACED = Pattern(
    r"(?:\bnot|instead\ of|rather\ than)\ (?:the\ |an?\ )?"
    r"(?P<o>[^,.;:!?]{1,40}?)(?=\s*(?:[,.;:!?]|$|\b(?:but|any\ ?more|any\ longer|as)\b))"
)
"""The value that another one takes the place of, as the group `o`."""

INTRODUCING = Pattern(r"(?:\ is|,|'s\ name\ is|\ is\ called|\ is\ named|\ called|\ named|:)?\s*")
"""What stands between the word for a role and the name of who has it."""

DENYING = Pattern(
    r"\b(?:not|no\ longer|no\ more|never|neither|[a-z]+n't|isnt|dont|doesnt|didnt|used\ to|stopped|quit)\b(?!\ (?:only|just|let\ me|forget))"
)
"""What denies or ends the fact that follows it in its clause."""

ARRIVING = Pattern(
    r"\b(?:moved|move|moving|relocated|relocating|switched|changed|transferred|went|gone|over)\ "
    r"(?:over\ |back\ |on\ |out\ )?(?:to|into)\ (?:the\ |an?\ |my\ |our\ )?$"
)
"""What shows that the value after it is the new one."""

TITLE = Pattern(r"(?:dr|mr|mrs|ms|prof|professor|sir|dame|st)\.?")
"""Words before a name that are no name by themselves."""

CLAUSE = Pattern(r"[,.;:!?“”\"]|\b(?:and|but|because|so|which|who|while|although|though)\b")
"""What parts clauses."""

INTENTION = Pattern(
    r"\b(?:(?:want|wants|wanted|hope|hopes|hoping|plan|plans|planning|intend|intends|going|about|keen|"
    r"tempted|dream|dreaming)\ to|(?:thinking|dreaming)\ (?:of|about)|considering|gonna|wanna)\b"
)
"""What shows that what follows is not so yet."""

LEAVING = Pattern(r"\bfrom\ (?:the\ |an?\ |my\ |our\ )?$")
LEFT_FOR = Pattern(r"\ (?:over\ |back\ |up\ )?to\ ")
"""What shows that the value between the two gives way to the one after them."""

AGAIN = Pattern(r"\ (?:\w+\ )?again\b|\bback\ (?:on|to)\b")
"""What shows that something given up is taken up again."""
