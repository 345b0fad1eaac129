"""How English asks for what no visitor may have. Data: regular expressions over plain readings (lower case, no punctuation)."""

_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directions?|guardrails?|restrictions?|limitations?|programming|constraints?"
    r"|safety|policies|orders|training)"
)
_OURS = r"(?!my\b|our\b|his\b|her\b|their\b)"
_FEW = r"(?: \w+){0,4}"
_DROP = r"(?:ignore|disregard|forget|override|overrule|drop|stop following|do not follow|dont follow|pay no attention to|erase)"

INJECTION = (
    rf"{_DROP} (?:all |any |every )?(?:of )?(?:the |your |these |those )?(?:previous|prior|earlier|preceding|above|foregoing|former|system|original|safety){_FEW} {_RULES}",
    rf"{_DROP} (?:all |any )?(?:of )?(?:your|these|those) (?:\w+ ){{0,2}}{_RULES}",
    rf"{_DROP} all (?:the |other )?{_RULES}|{_DROP} the {_RULES} you|that ignores its {_RULES}|ignore my guidelines|ignore (?:its|your) {_RULES}",
    rf"{_DROP} (?:all |every)?(?:that |the )?(?:above|everything (?:above|before|you))|disregard everything",
    r"(?:print|show|reveal|repeat|output|display|leak|dump|summari[sz]e|translate|encode|tell me|give me|write (?:out|down)|what (?:is|are|was|were))"
    r"(?: me)?(?: \w+){0,2} (?:system|initial|hidden|secret|configuration|internal) (?:system )?(?:prompts?|instructions?|messages?|rules?)",
    r"(?:print|show|reveal|repeat|output|tell me|give me|what (?:is|are|was|were)) your (?:original|full|real|exact|first) (?:prompt|instructions|rules|message)",
    r"(?:your|the) (?:system|hidden|initial) (?:prompt|instructions)|configuration prompt",
    r"repeat the (?:text|words|conversation|message) above|written above this conversation|text above verbatim",
    r"you are now (?:\w+ ){0,3}(?:dan|ai|assistant|unrestricted|jailbroken|free|evil|admin|root)\b|you are (?:an? )?(?:evil|unrestricted|jailbroken) (?:ai|assistant)",
    rf"(?:pretend|imagine|act as if|behave as if|roleplay)(?: that)? you (?:are|have)(?: \w+){{0,4}} (?:unrestricted|no rules|no {_RULES}|evil|another)",
    rf"(?:ai|assistant|bot|model|answer)(?: \w+){{0,3}} (?:without|with no) (?:any )?{_RULES}|who has no rules",
    r"(?:developer|debug|god|dan|jailbreak|sudo|admin|root) mode|root access",
    rf"(?:turn|switch) off (?:your|all) (?:\w+ )?{_RULES}|(?:drop|lift|remove|disable) (?:all|your|any) (?:\w+ )?{_RULES}",
    r"(?:skip|bypass|ignore|disable|circumvent) (?:the )?(?:owner's |owner s |owners |any )?(?:approval|confirmation|permission)(?: step| check)?",
    r"your new (?:instructions|rules|role|task|identity) (?:are|is)|new instructions? (?:reveal|ignore|you)",
    r"as your (?:developer|creator|owner|administrator|maker) i (?:order|command|instruct|tell)",
    r"the owner has (?:already )?approved (?:every|all)",
)
"""What is looked for in every reading."""

ASKS_ABOUT = (
    r"\b(?:what does|what do you mean|what is meant|means?|meaning|written about|wrote about|opinion on|explain what|in the context of"
    r"|definition of|example of)\b"
)
"""A question about such words, which stand in quotation marks then, is no attack."""

SPEAKS_OF = r"^(?:has|have|did) (?:anyone|anybody|somebody|people|visitors)\b|^how (?:do|can|would|does) (?:you|one|i|we|it|a site) (?:protect|defend|guard|cope|deal)"
"""A question about those who try."""

OFF_TOPIC = (
    r"^(?:please |can you |could you |now )?(?:write|compose|generate|create|make)(?: me| us)? (?:a|an|my|some|the) (?:\w+ ){0,2}"
    r"(?:essay|poem|song|story|script|code|function|program|app|cover letter|homework|assignment|blog post|tweet|speech|resume|cv|joke)\b",
    r"^(?:please |can you |could you )?translate (?:this|the following|these|that)\b",
    r"^(?:please |can you |could you )?(?:do|solve|finish) (?:my|this|the following) (?:homework|assignment|equation|exercise|problem)",
    r"^(?:please |can you |could you )?(?:calculate|compute|what is|how much is) \d+(?: \w)? \d+",
    r"^(?:please |can you |could you )?(?:fix|debug|refactor|review) (?:this|my) (?:code|script|program|function)",
    r"^(?:please )?act as (?:a|an) \w+",
    r"^(?:please )?give me a recipe\b",
)
