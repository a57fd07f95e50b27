"""How English says a fact, and what it calls the people somebody has."""

from __future__ import annotations

from perdure.understanding.languages.language import Pattern

SLOTS = {
    "lives_in": Pattern(
        r"\b(?:(?:home\ |postal\ |street\ )?address|where\ i(?:'m)?\ (?:live|living))\b"
    ),
    "phone": Pattern(r"\b(?:(?:phone|mobile|cell|telephone)(?:\ number)?|number\ i\ gave)\b"),
    "email": Pattern(r"\be-?mail(?:\ address)?\b"),
    "born_on": Pattern(r"\b(?:birthday|date\ of\ birth|birth\ ?date|dob)\b"),
    "age": Pattern(r"\b(?:(?:my|our)\ age|how\ old\ i\ am)\b"),
    "works_at": Pattern(r"\b(?:employer|workplace|where\ i\ work|(?:my|our)\ job)\b"),
    "job_title": Pattern(r"\b(?:job|occupation|profession|what\ i\ do\ for\ a\ living)\b"),
    "allergic_to": Pattern(r"\ballerg(?:y|ies)\b"),
    "diet": Pattern(r"\bdiet\b"),
    "height": Pattern(r"\b(?:height|how\ tall\ i\ am)\b"),
    "shoe_size": Pattern(r"\bshoe\ size\b"),
    "blood_type": Pattern(r"\bblood\ (?:type|group)\b"),
    "takes_medication": Pattern(r"\b(?:medication|medicine|meds|pills|prescription)\b"),
    "religion": Pattern(r"\b(?:religion|faith)\b"),
    "nickname": Pattern(r"\bnickname\b"),
}
"""Words that name a kind of fact about the speaker, by its predicate."""

ROLES = {
    word: role
    for role, words in {
        "sibling": "sister brother sis bro sibling twin",
        "parent": "mother father mum mom dad mama papa mam parent parents",
        "spouse": "wife husband spouse",
        "partner": "partner girlfriend boyfriend fiance fiancee fiancé fiancée",
        "child": "son daughter child kid toddler baby boy girl stepson stepdaughter kids",
        "manager": "manager boss supervisor",
        "friend": "friend mate buddy pal",
        "colleague": "colleague coworker co-worker teammate workmate",
        "housemate": "flatmate housemate roommate roomie",
        "neighbour": "neighbour neighbor neighbours neighbors",
        "relative": "aunt uncle cousin grandmother grandfather grandma grandpa gran nan niece nephew "
        "auntie granny grandad nana mother-in-law father-in-law sister-in-law brother-in-law",
        "office": "office workplace",
        "pet": "dog cat puppy kitten parrot rabbit hamster pet horse tortoise",
        "teacher": "teacher tutor professor",
        "doctor": "doctor gp dentist therapist physio",
        "team": "team company firm employer",
    }.items()
    for word in words.split()
}

ROLE_NAMES: dict[str, str] = {}

KINDS = {
    "color": "colour",
    "movie": "film",
    "meal": "food",
    "writer": "author",
    "group": "band",
}

STATEMENTS: dict[str, tuple[str, str]] = {
    "name": ("{s} is called {o}.", "{s} is not called {o}."),
    "nickname": ("{s} goes by {o}.", "{s} does not go by {o}."),
    "age": ("{s} is {o} years old.", "{s} is not {o} years old."),
    "born_on": ("{s}'s birthday is {o}.", "{s}'s birthday is not {o}."),
    "born_in": ("{s} was born in {o}.", "{s} was not born in {o}."),
    "raised_in": ("{s} grew up in {o}.", "{s} did not grow up in {o}."),
    "lives_in": ("{s} lives in {o}.", "{s} does not live in {o}."),
    "ethnicity": ("{s} is of {o} ethnicity.", "{s} is not of {o} ethnicity."),
    "native_language": ("{s}'s native language is {o}.", "{s}'s native language is not {o}."),
    "religion": ("{s}'s religion is {o}.", "{s}'s religion is not {o}."),
    "marital_status": ("{s} is {o}.", "{s} is not {o}."),
    "spouse": ("{s} is married to {o}.", "{s} is not married to {o}."),
    "partner": ("{s}'s partner is {o}.", "{s}'s partner is not {o}."),
    "works_at": ("{s} works at {o}.", "{s} does not work at {o}."),
    "job_title": ("{s} works as {o}.", "{s} does not work as {o}."),
    "manager": ("{s}'s manager is {o}.", "{s}'s manager is not {o}."),
    "studies_at": ("{s} studies at {o}.", "{s} does not study at {o}."),
    "diet": ("{s}'s diet is {o}.", "{s}'s diet is not {o}."),
    "contact_preference": ("{s} prefers contact by {o}.", "{s} prefers no contact by {o}."),
    "timezone": ("{s}'s time zone is {o}.", "{s}'s time zone is not {o}."),
    "blood_type": ("{s}'s blood type is {o}.", "{s}'s blood type is not {o}."),
    "height": ("{s} is {o} tall.", "{s} is not {o} tall."),
    "shoe_size": ("{s}'s shoe size is {o}.", "{s}'s shoe size is not {o}."),
    "breed": ("{s}'s breed is {o}.", "{s}'s breed is not {o}."),
    "deadline": ("{s} is due on {o}.", "{s} is not due on {o}."),
    "located_in": ("{s} is in {o}.", "{s} is not in {o}."),
    "favourite:": ("{s}'s favourite {k} is {o}.", "{s}'s favourite {k} is not {o}."),
    "attribute:": ("{s}'s {k} is {o}.", "{s}'s {k} is not {o}."),
    "likes": ("{s} likes {o}.", "{s} does not like {o}."),
    "dislikes": ("{s} dislikes {o}.", "{s} does not dislike {o}."),
    "prefers": ("{s} prefers {o}.", "{s} does not prefer {o}."),
    "avoids": ("{s} avoids {o}.", "{s} does not avoid {o}."),
    "allergic_to": ("{s} is allergic to {o}.", "{s} is not allergic to {o}."),
    "health_condition": ("{s} has {o}.", "{s} does not have {o}."),
    "takes_medication": ("{s} takes {o}.", "{s} does not take {o}."),
    "child": ("{s}'s child is {o}.", "{s} has no child {o}."),
    "parent": ("{s}'s parent is {o}.", "{s} has no parent {o}."),
    "sibling": ("{s}'s sibling is {o}.", "{s} has no sibling {o}."),
    "relative": ("{s}'s relative is {o}.", "{s} has no relative {o}."),
    "friend": ("{s}'s friend is {o}.", "{s} is not friends with {o}."),
    "colleague": ("{s}'s colleague is {o}.", "{s} is not a colleague of {o}."),
    "housemate": ("{s}'s housemate is {o}.", "{s} does not share a home with {o}."),
    "neighbour": ("{s}'s neighbour is {o}.", "{s} is not a neighbour of {o}."),
    "has_pet": ("{s} has a pet: {o}.", "{s} does not have a pet: {o}."),
    "pet_name": ("{s}'s pet is called {o}.", "{s}'s pet is not called {o}."),
    "speaks": ("{s} speaks {o}.", "{s} does not speak {o}."),
    "learning": ("{s} is learning {o}.", "{s} is not learning {o}."),
    "skill": ("{s} can do this: {o}.", "{s} cannot do this: {o}."),
    "hobby": ("{s}'s hobby: {o}.", "Not a hobby of {s}: {o}."),
    "field_of_study": ("{s} studies {o}.", "{s} does not study {o}."),
    "owns": ("{s} owns {o}.", "{s} does not own {o}."),
    "uses": ("{s} uses {o}.", "{s} does not use {o}."),
    "works_on": ("{s} works on {o}.", "{s} does not work on {o}."),
    "member_of": ("{s} is a member of {o}.", "{s} is not a member of {o}."),
    "plans": ("{s} plans: {o}.", "{s} does not plan: {o}."),
    "goal": ("{s}'s goal: {o}.", "Not a goal of {s}: {o}."),
    "schedule": ("{s}'s schedule: {o}.", "Not in {s}'s schedule: {o}."),
    "nationality": ("{s} is {o} by nationality.", "{s} is not {o} by nationality."),
    "visited": ("{s} has visited {o}.", "{s} has not visited {o}."),
    "email": ("{s}'s email address is {o}.", "{s}'s email address is not {o}."),
    "phone": ("{s}'s phone number is {o}.", "{s}'s phone number is not {o}."),
    "instructs": ("{s} asks for this: {o}.", "{s} asks not to have this: {o}."),
}
