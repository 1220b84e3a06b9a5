"""The checks of two submissions at the same time: exactly one wins."""
from .wire import SIZE_TYPE

def run(session):
    for number in range(3):
        size = session.size + 1 + number
        pair(session, f"race-of-two-trees-{number + 1}",
             [session.submission(size, tree=session.tree.fork(session.size, f"race {number} {side}")) for side in "ab"])
    for number in range(2):
        pair(session, f"race-of-two-trees-and-sizes-{number + 1}",
             [session.submission(session.size + more, tree=session.tree.fork(session.size, f"sizes {number} {more}"))
              for more in (2, 5)])
    for number in range(3):
        pair(session, f"race-of-two-sizes-{number + 1}",
             [session.submission(session.size + more) for more in (7, 4)])

def pair(session, check, submissions):
    before = session.submission().body if session.begun else submissions[0].body
    answers = session.wire.send_together(before, [submission.body for submission in submissions])
    faults, winners = [], []
    for answer, submission in zip(answers, submissions):
        if answer.status == 200:
            winners.append(submission)
            if fault := session.cosignature_fault(answer, submission):
                faults.append(fault)
            session.adopt(submission)
    for answer, submission in zip(answers, submissions):
        if answer.status == 200:
            continue
        if session.has_cosignature(answer, submission):
            faults.append("a refusal with a cosignature")
        if answer.size != session.size:
            faults.append(f"a refusal with type `{answer.content_type}`, body {answer.body[:40]!r}")
    if len(winners) == 1 and not faults and (fault := session.repetition_fault()):
        faults.append(fault)
    got = " and ".join(map(session.describe, answers))
    session.record(check, f"200 and 409 with type {SIZE_TYPE} and the size of the winner", ", ".join([got, *faults]),
                   len(winners) == 1 and not faults)
