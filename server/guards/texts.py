"""What the guards say, unless the owner says it otherwise. `{owner}` is the owner's name."""

TEXTS = {
    "injection": {
        "en": "I can't take instructions that change how I work, and I don't show my own. What would you like to know about {owner}?",
        "nl": "Ik kan geen instructies aannemen die veranderen hoe ik werk, en de mijne laat ik niet zien. Wat wilt u weten over {owner}?",
    },
    "card": {
        "en": "Please don't send card numbers here. I have not kept it, and nobody has been given it. What can I help you with?",
        "nl": "Stuur hier alstublieft geen kaartnummers. Ik heb het niet bewaard en niemand heeft het gekregen. Waarmee kan ik u helpen?",
    },
    "iban": {
        "en": "Please don't send bank account numbers here. I have not kept it, and nobody has been given it. What can I help you with?",
        "nl": "Stuur hier alstublieft geen rekeningnummers. Ik heb het niet bewaard en niemand heeft het gekregen. Waarmee kan ik u helpen?",
    },
    "bsn": {
        "en": "Please don't send citizen service numbers here. I have not kept it, and nobody has been given it. What can I help you with?",
        "nl": "Stuur hier alstublieft geen burgerservicenummers. Ik heb het niet bewaard en niemand heeft het gekregen. Waarmee kan ik u helpen?",
    },
    "off_topic": {
        "en": "That is not what I am here for: I answer questions about {owner}. What would you like to know?",
        "nl": "Daar ben ik niet voor: ik beantwoord vragen over {owner}. Wat wilt u weten?",
    },
}
