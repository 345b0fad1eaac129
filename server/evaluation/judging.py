"""What is wrong with an answer, if anything. Pure."""

from server.evaluation.play import Played


def findings(played: Played) -> list[str]:
    """One line for each expectation that was not met; none: the case passes."""
    expected = played.case.expect
    read = played.text.casefold()
    wrong: list[str] = []
    outcome = played.of_type("meta")[-1]["outcome"]
    if expected.outcome not in (None, outcome):
        wrong.append(f"outcome is {outcome}, not {expected.outcome}")
    for choices in expected.contains:
        if not any(choice.casefold() in read for choice in choices):
            wrong.append("lacks " + " or ".join(f"“{choice}”" for choice in choices))
    wrong += [f"contains “{text}”" for text in expected.contains_not if text.casefold() in read]
    sources = [event["source"] for event in played.of_type("citation")]
    if expected.cites and not any(source.startswith(expected.cites) for source in sources):
        cited = ", ".join(sources) or "nothing"
        wrong.append(f"cites {cited}, not {' or '.join(expected.cites)}")
    tools = tools_asked_for(played)
    if expected.tools not in (None, tools):
        wrong.append(f"asked for the tools {_listed(tools)}, not {_listed(expected.tools or ())}")
    trace = played.of_type("trace")
    flags = {flag for event in trace for flag in event["flags"]}
    wrong += [f"is not flagged {flag}" for flag in expected.flags if flag not in flags]
    withheld = sum(event["withheld"] for event in trace)
    if expected.withheld_at_most is not None and withheld > expected.withheld_at_most:
        wrong.append(f"{withheld} sentences kept back, more than {expected.withheld_at_most}")
    return wrong


def tools_asked_for(played: Played) -> tuple[str, ...]:
    """The names, in order, each call once: those that waited for the owner, and those that ran at once."""
    names: list[str] = []
    waited: list[str] = []
    for event in played.in_order("tool", "interrupt"):
        name = event["tool"] if event["type"] == "interrupt" else event["name"]
        if event["status"] == "pending":
            waited.append(name)
            names.append(name)
        elif event["status"] == "started":
            if name in waited:
                waited.remove(name)  # told of when it was asked about
            else:
                names.append(name)
    return tuple(names)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
