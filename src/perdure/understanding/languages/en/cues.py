"""English closed classes: questions, conditions, negation, reported speech, requests."""

from __future__ import annotations

from perdure.understanding.languages.language import Cues, Pattern

_MEMORY = (
    r"(?:your\ (?:memory|memories|records?|notes?|files?|storage)|"
    r"(?:what|everything|anything|all|things?|stuff|the\ (?:bit|part|thing|stuff|details?))\ "
    r"(?:that\ )?(?:i(?:'ve)?|you(?:'ve)?|we(?:'ve)?)\ "
    r"(?:just\ |ever\ |once\ |have\ )*(?:told|said|mentioned|know|stored|saved|remember|noted|"
    r"shared|got|have|wrote|gave|kept)|"
    r"(?:entry|entries|note|record|memory|memories|fact|info(?:rmation)?|details?|reminder)\b)"
)

_LOSE = (
    r"(?:forget|forgotten|forgot|unremember|delete[d]?|erase[d]?|remove[d]?|wipe[d]?|purge[d]?|discard(?:ed)?|"
    r"drop(?:ped)?|lose|lost|clear(?:ed)?|scrub|throw\ (?:out|away)|get\ rid\ of)"
)

CUES = Cues(
    question=Pattern(
        r"\?\s*[\"')”]*\s*$|^(?:and\ |so\ |but\ |ok(?:ay)?,?\ |hey,?\ |well,?\ )*(?:what|who|whom|whose|which|when|where|why|how|is|are|"
        r"am|was|were|do|does|did|can|could|would|should|will|shall|may|might|has|have|any\ idea|"
        r"isn't|aren't|don't\ you|doesn't|didn't|wasn't|weren't|remind\ me\ (?:what|who|when|where|how|which))(?:'s|'re|'d)?\b"
        r"(?!\ (?:a\ note|care\ of))"
    ),
    asks_only=Pattern(r"^[^.!?;]*\?[\s\"')”]*$"),
    code=Pattern(
        r"^\s*(?:select\s.+\sfrom\s|update\s+\w+\s+set\s|insert\s+into\s|delete\s+from\s|create\s+table\s|"
        r"def\s+\w+\(|class\s+\w+[(:]|import\s+\w+|from\s+\w+\s+import|function\s+\w+\(|const\s+\w+\s*=|let\s+\w+\s*=|"
        r"var\s+\w+\s*=|\#include|<\w+[ />]|(?:git|sudo|npm|pip|docker|curl|kubectl)\s+\w|\$\s+\w|traceback\s\(|"
        r"\d{4}-\d\d-\d\d.*\b(?:error|warn|info)\b)|[{};]\s*$|=>|===?|\w\(\w*\)\s*[;:{]|```"
    ),
    hypothetical=Pattern(
        r"\b(?:if|suppose|supposing|imagine|imagining|what\ if|pretend|let's\ say|say\ (?:i|we)\ (?:were|had|was)|assuming|assume|"
        r"hypothetically|in\ theory|would\ have|might|maybe|perhaps|possibly|could\ be|thinking\ (?:of|about)|"
        r"considering|tempted\ to|toying\ with|not\ sure\ (?:if|whether)|unless|in\ case\ i\ (?:ever|do))\b"
    ),
    wish=Pattern(
        r"\b(?:i\ wish|if\ only|i'd\ (?:love|like)\ to|i\ would\ (?:love|like)\ to|one\ day|someday)\b"
    ),
    reported=Pattern(
        r"[“\"]|\b(?:says?|said|told|tells|telling|claims?|claimed|reckons?|asked|asks|wrote|writes|mentioned|"
        r"according\ to|apparently|rumou?r|heard)\b"
    ),
    text_task=Pattern(
        r"\b(?:translate|proofread|rewrite|rephrase|paraphrase|edit|correct|polish|summari[sz]e|shorten|improve|fix|"
        r"reword|spell-?check|grammar|write|draft|compose|essay|poem|story|novel|character|narrator|lyrics|"
        r"protagonist|in\ the\ (?:book|film|movie|play|song|novel|story|game)|scene|dialogue|role-?play)\b"
    ),
    task=Pattern(
        r"^(?:(?:please|can\ you|could\ you|would\ you|hey|ok(?:ay)?|now|so|and|also|then|just|no)[\s,]+)*"
        r"(?:make|give|show|find|list|write|draft|plan|help|explain|open|add|insert|create|delete|remove|"
        r"update|change|replace|move|rename|run|compare|calculate|convert|fix|sort|format|translate|"
        r"summari[sz]e|suggest|recommend|check|look|search|tell|book|order|send|play|set|turn|put|use|try|cut|drop|clear|reset|undo|revert)\b"
    ),
    courtesy=Pattern(
        r"(?:(?:oh|ah|ha(?:ha)*|lol|wow|ok(?:ay)?|great|good|nice|cool|perfect|brilliant|lovely|awesome|fine|right|"
        r"sure|thanks?|thank\ you|ta|cheers|very\ much|so\ much|a\ lot|again|hi|hey|hello|morning|evening|"
        r"good\ (?:morning|night|evening|afternoon|one)|bye|goodbye|see\ you|talk\ (?:soon|later)|later|soon|no\ problem|"
        r"you're\ welcome|got\ it|not\ much|you|and|how\ are\ you(?:\ today|\ doing)?|what's\ up|for\ (?:that|your\ help|everything)|"
        r"(?:a\ )?(?:very\ )?(?:merry|happy|joyful|blessed)\ (?:christmas|xmas|new\ year|holidays?|easter|halloween|thanksgiving|"
        r"hanukkah|diwali|eid|birthday|anniversary|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|eid\ mubarak|"
        r"season's\ greetings|(?:have|enjoy)\ (?:a|your|the)\ (?:(?:good|nice|great|lovely|wonderful)\ )?(?:one|day|evening|night|weekend|week|trip|time|rest)|"
        r"(?:night|nighty)|sleep\ (?:well|tight)|sweet\ dreams|to\ (?:you|all|everyone|us)(?:\ (?:too|all|both))?|too|same\ to|everyone|dear|my\ friend|old\ chap|welcome\ back|"
        r"much\ appreciated|appreciate\ it|that's\ (?:all|great|perfect|it)|take\ care|all|for\ now|mate|there|yes|no|yep|yeah|nope|"
        r"righto|righty[-\ ]ho|rightyo|alright(?:y)?|okey[-\ ]dokey|k|kk|gotcha|noted|understood|makes\ sense|fair\ enough|will\ do|sounds\ good|"
        r"no\ (?:worries|bother|rush)|np|nw|all\ good|any\ ?time|sweet|grand|ace|fab|super|neat|phew|whew|aww*|yay|woo(?:hoo)?|he(?:he)+|lmao|rofl|omg|"
        r"nice\ (?:one|work)|good\ (?:stuff|job|luck|to\ know)|well\ done|you're\ (?:a|the)\ (?:star|legend|best|lifesaver|gem|angel|hero)|legend|"
        r"cheerio|cya|see\ ya|laters|ttyl|brb|gtg|(?:got|gotta|have)\ to\ (?:go|dash|run)|catch\ you|speak|be\ well|stay\ safe|god\ bless|"
        r"yo|howdy|greetings|sup|how(?:'s|\ is)\ (?:it\ going|things|life|everything)|how\ (?:do\ you\ do|have\ you\ been)|you\ (?:ok(?:ay)?|alright|there)|"
        r"long\ time\ no\ see|just\ (?:saying\ hi|checking\ in)|nothing\ (?:much|else|more)|sunshine|friend|folks|pal|buddy|love|i'm\ (?:good|fine|back)|"
        r"(?:a\ )?bit|again|today|tonight|tomorrow|really|very|just|so|well|then|now|anyway|too|please|sorry)"
        r"[\s,.!?…:;)(-]*)+"
    ),
    yes=Pattern(
        r"(?:yes|yeah|yep|yup|sure|right|correct|exactly|absolutely|please\ do|go\ ahead|do\ (?:it|so|that)|that's\ "
        r"(?:right|correct|it|the\ one|me)|indeed|of\ course|ok(?:ay)?,?\ do|spot\ on|precisely|you\ got\ it|"
        r"that\ would\ be|definitely|affirmative|sounds\ good|confirmed|true)\b"
    ),
    no=Pattern(
        r"(?:no|nope|nah|not\ (?:really|quite|at\ all|necessary|needed|true|me)|don't|wrong|incorrect|never|i'd\ rather\ not|that's\ "
        r"(?:wrong|not)|please\ don't|no\ need|there's\ no\ need|leave\ it)\b"
    ),
    negation=Pattern(
        r"\b(?:not|no|never|none|nor|neither|without|cannot|nobody|nothing|hardly|barely|\w+n't|dont|doesnt|didnt|cant|wont|isnt|arent|wasnt|havent|hasnt)\b"
    ),
    ended=Pattern(
        r"\b(?:no\ longer|not?\ \w*\ ?any\ ?more|any\ ?more|anymore|any\ longer|used\ to|stopped|quit|gave\ up|given\ up|former(?:ly)?|"
        r"previously|ex-?|gone\ off|went\ off|sick\ of|no\ more|left|sold|broke\ up|resigned|retired\ from|cancelled|"
        r"gone\ right\ off|over\ it|dropped\ out|switched\ from)\b"
    ),
    temporary=Pattern(
        r"\b(?:this\ (?:week|month|weekend|morning|afternoon|evening|summer|winter|semester|term|time)|today|tonight|for\ now|"
        r"at\ the\ moment|right\ now|currently|temporarily|until|till|for\ (?:a|the|two|three|four|a\ few|a\ couple\ of|\d+)\ "
        r"(?:next\ )?(?:days?|weeks?|months?|while)|while|these\ days\ only|for\ the\ time\ being|just\ for|"
        r"staying\ (?:at|with|in)|crashing|covering\ for|off\ (?:sick|work)|on\ holiday|visiting|in\ the\ meantime|meanwhile|just\ this)\b"
    ),
    this_day=Pattern(r"\b(?:today|tonight|this\ (?:morning|afternoon|evening))\b"),
    goes_on=Pattern(
        r"\b(?:am|is|are|will|won't|can't|i'm|we're|you're|they're|he's|she's|it's|isn't|aren't|no)\b"
        r"|'ll\b|^(?:(?:just|still|stuck|home)\s+)?\w+ing\b"
    ),
    begins=Pattern(
        r"\b(?:from|as\ of|as\ from|since|starting|beginning|effective|by)\ (?:today|tonight|now|tomorrow|next\ \w+|this\ \w+)\b"
        r"|\bfrom\ here\ on\b|\bgoing\ forward\b|\bpermanently\b|\bstaying\ put\b"
        r"|\bfirst\ (?:day|night|evening|morning|week|shift|lesson|class|session)\b|\bfor\ good\b"
    ),
    now=Pattern(
        r"\b(?:now|these\ days|nowadays|currently|as\ of|from\ (?:now|today|here)\ on|since|lately|at\ present|"
        r"is\ now|has\ become|got\ a\ new|new|finally|already|recently|just)\b"
    ),
    past=Pattern(
        r"\b(?:used\ to|back\ (?:in|when|then)|before\ (?:that|this|then)|in\ (?:19|20)\d\d|previously|once|ago|as\ a\ (?:kid|child|student|teenager)|"
        r"in\ those\ days|at\ the\ time|originally|formerly|years?\ ago|when\ i\ was|until\ (?:last|this)|old\ (?:photos?|letters?|papers?|diary)|prior\ to|earlier\ in)\b"
    ),
    change=Pattern(
        r"\b(?:chang(?:e|ed|es|ing)|switch(?:ed|ing)?|moved?|moving|replac(?:e|ed|ing)|instead(?:\ of)?|rather\ than|"
        r"no\ longer|any\ ?more|anymore|any\ longer|used\ to|went\ from|going\ with|new\ (?:one|job|number|address|phone|car|boss)|"
        r"update(?:d)?|upgraded?|migrated|renamed|postponed|pushed\ (?:back|to)|brought\ forward|slipped|rescheduled|"
        r"turned\ out|gone\ off|come\ round|grown\ (?:to|out)|over\ to|back\ to|swapped|traded|converted\ to|got\ (?:married|divorced|engaged|promoted))\b"
    ),
    correction=Pattern(
        r"\b(?:actually|correction|sorry|i\ (?:was\ wrong|misspoke|mistyped|misspelled|meant)|wrong|mistake|typo|not\ \S+(?:\ \S+)?\ but|"
        r"it's\ (?:actually|really)|in\ fact|scratch\ (?:that|what)|i\ mean|my\ bad|rather\ than|turns\ out|mis(?:heard|read|remembered|took)|"
        r"to\ be\ (?:precise|exact)|after\ all|make\ that|should\ (?:be|have\ been|say|read)|off\ by\ one)\b"
    ),
    addition=Pattern(
        r"\b(?:also|as\ well|too|another|in\ addition|on\ top\ of|besides|plus|additionally|second|one\ more|and\ now\ also|both|alongside|apart\ from)\b"
    ),
    as_well=Pattern(
        r"\b(?:also|as\ well(?!\ as\ you)|in\ addition|on\ top\ of\ (?:that|it|this)|additionally|one\ more|a\ further)\b"
        r"|\btoo\b(?=\s*(?:[,.;:!?)]|$|now\b))"
    ),
    recap=Pattern(
        r"\b(?:as\ (?:i|you)\ (?:said|told|mentioned|know)|like\ i\ (?:said|told)|again|still|in\ case\ you\ (?:forgot|missed)|to\ recap|once\ more|reminder|already\ (?:told|said|mentioned)|remember\ (?:how|when|that)\ (?:i|we))\b"
    ),
    retold=Pattern(
        r"\b(?:as|like)\ i(?:'ve)?\ (?:already\ )?(?:said|told|mentioned|explained)\b|"
        r"\bi(?:'ve|\ have)?\ (?:already\ |just\ |first\ |then\ |once\ )*(?:told|mentioned\ to|explained\ to|gave)\ (?:you|this|that|it)\b|"
        r"\byou(?:'ve|\ have)?\ (?:already\ |should\ |must\ )*(?:got|know|knew|have|heard|noted|wrote|written)\ (?:this|that|it|all\ that)?\ ?(?:down|already|noted|from\ me)?\b|"
        r"\bin\ case\ you\ (?:forgot|missed)\b|\b(?:to|quick)\ recap\b|\bas\ you\ (?:already\ )?know\b"
    ),
    hearsay=Pattern(
        r"\b(?:says?|said|told\ me|tells\ me|according\ to|claims?|reckons?|insists?|swears|the\ (?:label|leaflet|sign|manual|notice|email|website|poster|letter|guide|app|board))\b"
    ),
    remember=Pattern(
        r"\b(?:remember\ (?:that|this|my|our|the|to|i)|keep\ (?:that\ |this\ |it\ )?in\ mind|bear\ in\ mind|(?:make|take)\ a\ note|note\ (?:that|down)|"
        r"for\ the\ record|don't\ (?:ever\ )?forget|do\ not\ forget|never\ forget|jot\ (?:down|that)|save\ (?:this|that|my)|store\ (?:this|that|my)|"
        r"(?:worth|good\ to)\ (?:knowing|remembering|know|noting)|just\ so\ you\ know|you\ should\ know|fyi|by\ the\ way|btw|write\ (?:this|that)\ down|"
        r"keep\ (?:it|this|that)\ for\ later|remind\ me\ (?:to|that|about)|log\ (?:this|that)|put\ (?:it|this|that)\ on\ (?:file|record)|let\ it\ be\ known)\b"
    ),
    instruction=Pattern(
        r"\b(?:from\ now\ on|always|never|whenever|every\ time|going\ forward|in\ (?:the\ )?future|each\ time|by\ default|"
        r"from\ (?:today|here)\ on|at\ all\ times|as\ a\ rule|stop\ (?:using|calling|sending|giving|adding)|(?:call|address)\ me)\b"
    ),
    to_keep=Pattern(
        r"^(?:(?:please|but|and|do|you\ can|you\ may)[\s,]+)*(?:keep|retain|hold\ on\ to|hang\ on\ to|remember|save)\b"
    ),
    plain_loss=Pattern(
        r"^(?:(?:please|and|so|now|ok(?:ay)?|actually|can\ you|could\ you)[\s,]+)*(?:forget|unremember)\ (?:about\ )?"
        r"(?:my|our|what\ i|that\ i|everything\ (?:about|i))\b(?!.*\bfor\ (?:now|a\ moment)\b)"
    ),
    forget=Pattern(
        rf"\b(?:forget|erase|delete|remove|wipe|clear|purge|drop|lose|discard|scrub|unremember|get\ rid\ of|strike|expunge|bin|ditch|take|throw\ (?:out|away))\b"
        rf"[^.!?]*\b(?:{_MEMORY})"
        r"|\b(?:forget|unremember)\ (?:about\ )?(?:my|our|that\ (?:i|my|we|our)|all\ about|every|the\ (?!rest))"
        r"|\b(?:forget\ everything|unremember)\b"
        r"|\b(?:don't|do\ not|please\ don't|never|not\ to|stop|quit)\ (?:want\ you\ to\ )?(?:be\ )?"
        r"(?:remember(?:ing)?|keep(?:ing)?|stor(?:e|ing)|sav(?:e|ing)|record(?:ing)?|retain(?:ing)?|hold(?:ing)?\ on\ to|hang(?:ing)?\ on\ to)\b"
        r"|\b(?:i\ don't\ want|i'd\ rather\ you\ didn't|stop)\b[^.!?]*\b(?:remember|keep|store|save|know\ about)\b"
        r"|\b(?:out\ of|from)\ your\ (?:memory|records?|notes?|files?)\b|\boff\ (?:the|your)\ record"
    ),
    forget_back=Pattern(
        r"\b(?:forget|delete|erase|remove|drop|scrap|lose|unsave|unremember|wipe|strike|undo)\ (?:that|this|it|the\ last\ (?:one|bit|thing|part)|what\ i\ (?:just\ )?said)\b"
        r"|\bscratch\ that\b|\bdon't\ (?:keep|save|store|remember|write|note)\ (?:that|this|it|any\ of)\b|\b(?:get\ rid\ of)\ (?:that|it|this)\b"
    ),
    taken_back=Pattern(
        r"\bi\ (?:take\ (?:it|that)\ back|was\ (?:only\ |just\ )?(?:joking|kidding|lying|messing|teasing|making)|made\ (?:that|it)\ up)\b|\b(?:that|it)\ was\ (?:just\ |only\ )?a\ (?:joke|lie|prank|test)\b|"
        r"\bjust\ kidding\b|\bignore\ (?:what\ i|that\ last|my\ last)"
    ),
    not_forget=Pattern(
        r"\b(?:don't|do\ not|dont|never|can't|cannot|won't|didn't|mustn't|not)\ (?:ever\ |let\ me\ |you\ )?forget|\bi(?:'ve)?\ (?:keep\ |always\ |often\ |just\ |almost\ |nearly\ |totally\ |completely\ )*(?:forgot|forget|forgotten)\b"
        r"|\bforget\ (?:it|that|about\ it)[\s,.]+(?:then\b|never\ ?mind|i'll|doesn't|not\ important|no\ matter|don't\ (?:bother|worry)|it's\ (?:fine|ok)|(?:it|that)\ can\ wait)|\b(?:never\ mind|nevermind|nvm)\b|\bforget\ to\b|\bin\ case\ (?:you|i)\ forg[eo]t|"
        r"\b(?:paragraph|file|files|line|lines|row|column|cell|slide|table|chart|folder|branch|commit|word|words|comma|sentence\ (?:two|three|one)|section|footnote|bullet|page|draft|essay|image|photo|code|function|variable|import|app|cookies|cache|git|sql|stain|dependency)\b"
    ),
    not_to_lose=Pattern(
        rf"(?:(?<!why\ )(?:\b(?:do\ not|don't|dont)\ (?:you\ (?:dare\ )?)?|\b(?:never|mustn't|shouldn't|not\ to|not|"
        rf"can't|cannot|won't|wouldn't|didn't|don't\ want\ (?:you\ )?to|no\ need\ to|needn't|rather\ you\ didn't)\ )"
        rf"(?:ever\ |just\ |please\ |accidentally\ |also\ |go\ and\ |let\ yourself\ )*|"
        rf"^(?:(?:so|and|but|hey|wait|oh|no)[\s,]+)*(?:did|have|has|had|why\ did|when\ did)\ you\ (?:just\ |really\ |already\ )*)"
        rf"{_LOSE}\b(?!\ to\b)[^,.;:!?]*"
    ),
    loss_reported=Pattern(
        rf"\b(?!(?:i|we|you|i've|we've|you've|i'd|just|already|have|had|was|ever|once|only|also|never)\b)[\w']+\ "
        rf"(?:says?|said|tells?|told|asks|asked|wants?|wanted|wrote|writes|reads?|shouted|whispered|suggests?|suggested)\b"
        rf"[^.!?:“\"]{{0,24}}?(?:\bto\b|:|[“\"]|\bthat\b)[^.!?]{{0,30}}?\b{_LOSE}\b"
    ),
    consolidate=Pattern(
        r"\b(?:merge|dedup(?:e|licate)?|de-dup\w*|consolidate|condense|tidy(?:\ up)?|combine|compact|roll\ (?:up|together)|boil\ down|clean\ (?:up|out)|streamline|fold|unify|collapse|organi[sz]e|summari[sz]e|sort\ out|squash|compress|group)\b"
        r"[^.!?]*\b(?:you(?:'ve)?\ (?:know|remember|have|stored|saved|got|keep|hold|noted|learned)|memor(?:y|ies)|preferences|entr(?:y|ies)|duplicates?|facts|notes\ (?:on|about)\ me|about\ me|records|what\ i(?:'ve)?\ (?:told|said))\b"
        r"|\b(?:duplicates?|entr(?:y|ies)|memories|same\ thing)\b[^?]*\b(?:merge|combine|dedup\w*|consolidate|one)\b"
    ),
    everything=Pattern(
        r"\b(?:everything|all\ (?:you|of\ it|that|my|the)|anything|entire|whole|every\ (?:thing|last|single)|all)\b"
    ),
    first_person=Pattern(
        r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|mine|me|we|we're|we've|our|us|myself)\b"
    ),
    other_person=Pattern(r"\b(?:he|she|they|his|her|their|him|them|my\ \w+(?:'s)?)\b"),
    offers_to_keep=Pattern(
        r"\b(?:shall|should|do\ you\ want|would\ you\ like|want\ me|may|can)\b[^?]*\b(?:remember|save|keep|note|store|record|memori[sz]e)\b[^?]*\?"
    ),
    offers_to_lose=Pattern(
        r"\b(?:shall|should|do\ you\ want|would\ you\ like|want\ me|may|can|sure)\b[^?]*\b(?:forget|delete|erase|remove|wipe|drop|clear)\b[^?]*\?"
    ),
    guess=Pattern(
        r"\?\s*$|\b(?:so\ you|you\ (?:must|seem|probably|said|mentioned)|your|i\ have\ your|i\ remember|you're|you\ are)\b"
    ),
)
