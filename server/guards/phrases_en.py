"""How English asks for what no visitor may have. Data: regular expressions over readings (lower case, no punctuation but `/` after a
statement and `?` after a question), and for other work over the message in lower case."""

KEYWORDS = (
    "ignore disregard forget override bypass reveal previous earlier instructions instruction guidelines restrictions"
    " system prompt approval rules your"
).split()
"""Recognised with their letters in another order, too."""

_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directions?|directives?|guardrails?|restrictions?|limitations?|programming|constraints?"
    r"|safety|policies|training|filters?|safeguards?|commands?|protocols?|ethics)"
)
_OLD = (
    r"(?:previous|prior|earlier|preceding|above|foregoing|former|old|original|initial|system|safety|existing|current|default|hidden"
    r"|secret|internal)"
)
_DROP = (
    r"\b(?<!\bi )(?<!\bwe )(?<!\bthey )(?:ignore|disregard|forget|override|overrule|bypass|circumvent|drop|discard|abandon|violate|break|erase|set aside|pay no attention to"
    r"|(?:stop|quit) (?:following|obeying)|(?<!i )(?:do not|dont|no longer|never) (?:follow|obey|stick to|comply with))"
)
_STATED = r"(?![^/?]*\?)"
"""Not in a question: whether one may is another thing than to do it."""
_NOT_OF = r"\b(?! (?:for|on|about|of|how|to|in|at|from)\b)"
"""Instructions for the kettle are nobody's secret."""

_SHOW = (
    r"\b(?:print|show|reveal|repeat|output|display|leak|dump|copy|paste|recite|quote|share|expose|disclose|summari[sz]e|translate|encode|convert|turn|rephrase|render|put"
    r"|spell|list|tell|give|write|read|send|post|see|whats|what (?:is|are|was|were|does)|how many words)(?: \w+){0,5}"
)
_MACHINE = r"(?:ai|ais|assistants?|bots?|chatbots?|(?:language )?models?|persona|character|dan)"
_ANOTHER = (
    rf"(?:{_MACHINE}|shell|terminal|interpreter|hacker|pirate|cat|dog|robot|machine|evil|linux|unrestricted|jailbroken|uncensored|free"
    r"|admin|root)"
)
_WITHOUT = rf"(?:no|zero|without|(?:free|freed) (?:of|from)|not bound by|unbound by|ignor(?:es|ing)) (?:\w+ ){{0,2}}(?:{_RULES}|limits?|censorship|ethics|morals|content policy)"
_YES = r"(?:the |that |this |all |any |an? )?(?:owners? |her |his |owner s )?(?:approvals?|confirmations?|permissions?|consent|authori[sz]ation)"
_DO = r"\b(?:send|run|execute|do|perform|refund|book|proceed|go ahead|continue|submit|call|pay|carry)\b"

INJECTION = (
    # drop what you were told
    rf"{_DROP} (?:all |any |every )?(?:of )?(?:the |your |ur |these |those )?{_OLD}(?: \w+){{0,3}} {_RULES}",
    rf"{_DROP} (?:all |any )?(?:of )?(?:your|ur|these|those) (?:\w+ ){{0,2}}(?:{_RULES}|limits){_NOT_OF}|{_DROP} whatever {_RULES} you\b",
    rf"\bnever mind (?:the owners|your) {_RULES}",
    rf"{_DROP} all (?:the |other )?{_RULES}|{_DROP} the {_RULES} (?:you|above|that)|\bignores its {_RULES}|\bignore my guidelines",
    rf"{_DROP} (?:(?:all|any|safety|ethical|ethics|content|security|moral) )*(?:instructions|guidelines|guardrails|safeguards|protocols|ethics|policies){_NOT_OF}{_STATED}",
    rf"{_DROP} (?:all |every)?(?:that |the )?(?:above|everything (?:above|before|you)\b(?! \d))|disregard everything",
    rf"{_DROP} (?:everything|anything|all|what(?:ever)?)(?: (?:that|of|you|your|the|owners?|they|has|have|been|had|were|was|ever|developers?))*"
    r" (?:told|said|taught|learned|instructed|given)\b",
    rf"{_DROP} everything [/?] (?:and |now )?you are\b",
    rf"\byour {_OLD} {_RULES} (?:were|was|are|is) (?:just |only |all |now |an? )*(?:test|fake|lies?|joke|void|cancell?ed|revoked|superseded"
    r"|replaced|deleted|overwritten|invalid)",
    rf"\breal (?:task|{_RULES}) (?:start|begin)s?\b|\breset (?:yourself|your (?:memory|context|{_RULES}))",
    r"(?:dont|do not|need not|no longer)(?: \w+){0,3} (?:obey|listen to|follow|serve) (?:the |your )?owner",
    r"\bend of (?:context|prompt|instructions|system)\b|^new context\b|[/?] new context\b",
    # show me what you were told
    rf"{_SHOW} (?:your|ur|the|its|this) (?:(?!on |about |of )\w+ ){{0,2}}(?:system|initial|hidden|secret|configuration|developer) ?(?:prompts?|instructions|messages?)\b",
    rf"{_SHOW} (?:your|ur|its) (?:\w+ ){{0,2}}(?:secret|hidden|internal|real|true|full|exact|original|initial|core|actual)"
    r" (?:prompts?|instructions|rules|guidelines|directives|programming|configuration)\b",
    rf"{_SHOW} (?:your|ur) (?:whole |entire |complete |current )?(?:instructions{_NOT_OF}|prompts?\b(?! (?:reply|answer|response|attention|delivery|service)))",
    rf"{_SHOW} (?:rules|instructions|guidelines|restrictions)(?: that)? you (?:have to|must|were given|were told|have been|are given|are bound)",
    r"\b(?:wording|text|contents?) of (?:the|your) (?:system )?prompt\b|\b(?:instructions|prompt|rules) (?:were|are) you (?:initiali[sz]ed|started|configured|primed|given)\b",
    r"\bcontext(?: \w+){0,6} before my first (?:message|question)\b",
    r"\bconfiguration prompt|\bwritten above this conversation|\btext above verbatim",
    r"\b(?:repeat|copy|print|output|translate|write out|paste) (?:all |everything |the )*(?:text |words |conversation |messages? |lines? )?above\b",
    r"\b(?:first|opening|initial) (?:message|line|words|text) of (?:this|our|the) (?:conversation|chat|context|prompt)\b",
    r"\byou (?:been )?(?:told|instructed|forbidden|not allowed) (?:not )?to (?:tell|say|reveal|share|mention|talk)\b(?<!allowed to tell)",
    r"\byour (?:tools?|functions)(?: \w+){0,2} (?:with|and) (?:their |its |the )?(?:parameters|arguments|schemas?)",
    r"\b(?:start|begin) your (?:answer|reply|response) with (?:\w+ ){0,3}(?:sure|absolutely|certainly|here are my|my instructions)",
    # be somebody else
    rf"\byou are now (?:\w+ ){{0,3}}{_ANOTHER}\b|\byou are an? (?:\w+ )?{_ANOTHER} now\b|\byou are (?:an? )?(?:evil|unrestricted|jailbroken|uncensored) ",
    rf"\bnew (?:persona|identity|role|character|context)(?: \w+)? (?:/ )?you are\b|\byour new (?:{_RULES}|role|task|identity|persona|name) (?:are|is)\b",
    r"\bdo anything now\b|\b(?:pretend|imagine)(?: that)? you are dan\b|\b(?:act|answer|respond) as dan\b|\b(?:system|admin|security|safety) override\b"
    r"|^override security\b",
    rf"\b(?:unrestricted|uncensored|unfiltered|unlimited|unfettered)(?: \w+){{0,3}} (?:mode|ai|assistant|chatbot|(?:language )?model|persona)\b{_STATED}",
    r"\b(?:from now on|henceforth|from here on)(?: \w+){0,2} you (?:are(?! (?:open|closed))|have|will|must|shall|are to|answer|act|respond|speak|reply|only|always|do|obey|say)\b",
    rf"\b(?:answer|respond|reply|speak|talk|behave|act|continue)(?: \w+){{0,3}} as (?:\w+ ){{0,3}}{_MACHINE}(?: \w+){{0,3}} (?:who|that|with|without|has|can)\b",
    rf"\b(?:you|{_MACHINE}|pirate|who|that)(?: \w+){{0,6}} {_WITHOUT}\b{_STATED}|\bbroken free\b",
    rf"\b(?:pretend|imagine|act as if|behave as if|role ?play)(?: that)? you (?:are|have)(?: \w+){{0,4}} (?:unrestricted|evil|uncensored|{_WITHOUT})",
    r"\b(?:lets|we) (?:role ?play|play a game)\b.{0,60}\byou are\b",
    rf"\b(?:developer|debug|god|dan|jailbreak|sudo|admin|root) mode\b{_STATED}|\bjailbroken\b{_STATED}|\broot access\b",
    rf"\b(?:turn|switch) off (?:your|all) (?:\w+ )?{_RULES}|\b(?:drop|lift|remove|disable) (?:all|your|any) (?:\w+ )?{_RULES}\b",
    rf"\bnew {_RULES} (?:reveal|ignore|you)\b",
    r"\bas your (?:developer|creator|owner|administrator|maker) i (?:order|command|instruct|tell)\b",
    r"\bstop being (?:\w+ ){1,4}(?:twin|assistant)\b|\bas the (?:raw|base|underlying|plain) (?:language )?(?:model|ai)\b",
    r"\bi am (?:your|ur) (?:new )?(?:owner|developer|creator|admin\w*|maker|master|boss)\b(?! of\b)",
)
"""What is looked for in every reading."""

ALLEGED = (
    rf"(?:{_RULES}|(?:everything|what) you (?:were|have been|had been) (?:\w+ )?told(?: \w+)?) (?:\w+ )?(?:no longer|do not|dont|does not|doesnt)"
    rf" (?:\w+ )?(?:apply|applies|count|matter|exist|bind)\b{_STATED}",
    rf"\b(?:skip|bypass|ignore|disable|circumvent|waive) {_YES}\b",
    rf"{_DO}(?: \w+){{0,7}} without (?:waiting for |asking for )?{_YES}\b{_STATED}",
    rf"\bowner(?: \w+){{0,10}} without (?:waiting|asking|approval|permission)\b{_STATED}",
    rf"\bowner (?:has |have |just )?(?:already )?(?:approved (?:every|all|this|it|that)|said yes)\b{_STATED}",
    rf"\byou (?:no longer|dont|do not) need {_YES}\b{_STATED}|\bi approve(?: \w+){{0,3}} (?:on behalf of|in the name of|for) the owner\b",
    r"\btreat (?:\w+ ){0,4}as (?:if )?(?:\w+ ){0,3}(?:from|by|of) the owner\b",
    r"\bas (?:if|though) (?:the )?(?:owner|she|he|they)(?: \w+){0,3} (?:yes|approved|agreed|confirmed|approves)\b",
    r"\b(?:mark|treat|consider|flag)(?: \w+){1,4} approved\b",
    rf"\bapprovals?(?: \w+){{0,3}} (?:disabled|removed|lifted|switched off|turned off|unnecessary|not (?:needed|required|necessary)|no longer)\b{_STATED}",
)
"""That somebody agreed, or need not. Said to the twin it is a try; in what is to be passed on it is news."""

PASSED_ON = (
    r"^(?:(?:hi|hello|hey|ok|and|please|pls|kindly|just|can|could|would|will|you|i|wd|want|id|like|to|also) )*"
    r"(?:(?:tell|inform|ask|remind) (?!me\b|us\b|yourself\b)|let \w+(?: \w+)? know\b|(?:message|note|word) (?:for|to) (?!me\b|you\b)"
    r"|(?:pass|hand) (?:(?:this|it|the \w+|a \w+|my \w+) )?on to (?!me\b)|write to (?!me\b))"
)
"""How a sentence begins that is meant for the owner."""

ASKS_ABOUT = (
    r"\b(?:what does|what do you mean|what is meant|means?|meaning|written about|wrote about|opinion on|explain what|in the context of"
    r"|definition of|example of|called|titled|entitled|people who|say)\b"
)
"""Of such words, which stand in quotation marks then, one may speak."""

ABOUT_OTHERS = (
    r"^(?:(?:and|so|but|hi|hello|hey|ok) )*(?:(?:has|have|had|did|do|does|can|could) (?:anyone|anybody|someone|somebody|people|visitors|others)\b"
    r"|(?:how|why) (?:do|does|did|can|could|would|should) (?:one|people|anyone|we|site owners|you (?:protect|deal|handle|defend|cope))\b"
    r"|(?:(?:is|are|was|were) (?:there|she|he|they|the|her|his|it)|(?:does|did|do) (?:the|she|he|her|his|it|this|they)|(?:should|can|may|must|could) (?:i|we)"
    r"|what (?:was|were|is|are) (?:the|her|his))\b(?!.*\byou))"
)
"""A question like that is no attack whatever it is about."""

_LEAD = (
    r"(?:^|[.!?:;]\s+|\n)(?:(?:hi|hello|hey|dear|there|sir|ok|okay|so|now|and|then|thanks|great|well|please|pls|first|also)\b[, ]*)*"
    r"(?:(?:can|could|would|will) (?:you|u) |i (?:want|need) you to |i'd like you to )?(?:please |kindly |also |just )?(?:help me (?:to )?)?"
)
_ADJ = (
    r"(?:(?!(?:for|about|of|on|to|with|that|from|by|in|down|her|his|the|your|our)\b)[\w'-]+ ){0,3}"
)
_WORK = (
    r"(?P<thing>essays?|poems?|haikus?|sonnets?|limericks?|songs?|lyrics|rap|(?:short |bedtime )?stor(?:y|ies)|fairy tales?|scripts?|code|functions?|programs?|apps?"
    r"|class|quer(?:y|ies)|regex|algorithms?|unit tests?|cover letters?|motivation letters?|homework|blog ?posts?|articles?|tweets?|linkedin posts?"
    r"|speech(?:es)?|r[eé]sum[eé]s?|cv|jokes?|riddles?|recipes?|meal plans?|workout plans?|itinerar(?:y|ies)|business plans?|press releases?|thesis"
    r"|dissertations?|presentations?|websites?|novels?|screenplays?)\b"
)
_MINE = r"(?:this|my|the following|these)"

OFF_TOPIC = (
    rf"{_LEAD}(?:write|compose|generate|create|make|draft|produce|code|program|come up with)(?: me| us)? (?:(?:an?|my|some|\d+) )?{_ADJ}{_WORK}",
    rf"{_LEAD}(?:give|tell)(?: me| us)? (?:(?:an?|some|\d+) )?{_ADJ}(?P<thing>jokes?|riddles?|poems?|recipes?|bedtime stor(?:y|ies)|fairy tales?|(?:meal|workout) plans?)\b",
    rf"{_LEAD}i (?:need|want|would like|am looking for) (?:an? |some )?{_ADJ}(?P<thing>function|script|program|code|query|regex|essay|poem|algorithm)\b(?= (?:that|which|to|about|on|in))",
    rf"{_LEAD}(?:write|give me) \d+ words\b",
    rf"{_LEAD}translate (?:the following|these sentences|this (?:sentence|text|paragraph|letter|e-?mail)|this ?:|[\"“'‘«])",
    rf"{_LEAD}(?:summari[sz]e|paraphrase|rewrite) (?:the following|this (?:article|text|paragraph|essay)|this ?:)",
    rf"{_LEAD}(?:do|solve|finish|complete) {_MINE} {_ADJ}(?P<thing>homework|assignment|equation|exercise|sum|exam)\b",
    rf"{_LEAD}(?:with )?my {_ADJ}(?P<thing>homework|essay|assignment|thesis|exam)\b",
    rf"{_LEAD}solve\b[^.!?]{{0,40}}[=^]",
    rf"{_LEAD}(?:calculate|compute|what is|what's|how much is) \d[\d.,]*\s*(?:(?:%|percent) of \d|[-+*/x×÷^]\s*\d|(?:plus|minus|times|divided by) \d)",
    rf"{_LEAD}(?:fix|debug|refactor|proofread|correct|improve) {_MINE} {_ADJ}(?P<thing>code|script|program|function|cover letter|essay|grammar|cv|thesis|contract)\b",
    rf"{_LEAD}act as (?:an?|my) [\w'-]+",
    rf"{_LEAD}pretend (?:to be|you are|that you are) (?:an?|my) [\w'-]+",
)
"""`thing` is what is to be made; what it should be about follows the match."""
