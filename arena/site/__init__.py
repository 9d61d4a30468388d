"""The web site of leagues: what `arena serve` shows, and how to add to it.

What there is
=============

===================  ==============================================================================
`contest.py`         one league on the site; `Contest.ask` runs a function of the league in a thread
`accounts.py`        accounts, roles, teams, invitations, sessions, tokens
`uploads.py`         from an archive to a version; reports; the limits on uploads; the deadline
`teams.py`           teams of several accounts: members, invitations, leaving, the name
`versions.py`        the versions of a bot: comparing, withdrawing, playing an earlier one again
`scrimmages.py`      unranked matches that a team asks for, and the judge's side of them
`records.py`         the record of a match, as a viewer may see it
`replays.py`         replays as pages and records to keep, each as its viewer may see it
`author.py`          pages of authors: team, versions, scrimmages, access
`api.py`             the JSON API; each endpoint is declared once, for its route and description
`organising.py`      the part of the API for organisers, and for those who deal with their team
`openapi.py`         ``/openapi.json``, made of those declarations
`client.py`          the other side of the API: `arena submit URL`
`deeds.py`           what organisers do: one function a deed, for pages and commands
`settings.py`        numbers that organisers set, each with its usual value
`moments.py`         deadline, freeze, pause, finals; what is visible in a freeze
`evidence.py`        the evidence on one match, for an appeal
`overview.py`        what organisers watch over; grades
`pages.py`           what every page needs: `Visit`, `page`, forms, cookies, templates
`app.py`             the routes of all files (`FILES`), and what holds for every request
`public.py`          pages for everybody: the contest, its rules, the standings
`matches.py`         pages of bots, pairs and matches, replays, records to keep
`live.py`            what is played now, a match as it is played, the queues, announcements
`watching.py`        reading the record of a match that the judge is playing, for all who watch
`results.py`         what these read of a league, for whom
`trends.py`          ratings over time
`account.py`         pages of who takes part
`organisers.py`      pages of organisers, and of finals
`people.py`          pages of people who play in the browser
`boards.py`          their matches: seats, limits, records
`hosting.py`         the process that plays one of them
`run.py`             the server with its processes, as the command line starts it
`workers.py`         starting the examiner, the judge and people's matches as processes
`examining.py`       the process that examines one upload
`judging.py`         the process that plays
===================  ==============================================================================

The server itself is uvicorn, within the bounds of `arena.web.http`. The tables are in
`arena.league.schema`, since the whole file of a league is compared with its schema before it is
read.

A page
======

A file of pages has functions with `page` and lists them in ``ROUTES``; `app.FILES` has them all::

    @page("bots/{bot}")
    async def bot(visit: Visit) -> Response:
        found = await visit.ask(bots.account_of, visit.request.path_params["bot"])
        if found is None:
            raise not_found()
        return visit.page("bot.html", bot=found)

* What reads the file is a plain function of a `League` in a module without Starlette; it runs in
  a thread by ``visit.ask``. A page never touches the file itself.
* ``may="take part"`` (or ``"organise"``, ``"own"``) keeps others out. Whether *this* object may be
  seen (an upload, a record) the page checks by the team, and answers `not_found`: a refusal would
  tell that it exists.
* While the table is frozen, ``visit.ask`` and ``visit.contest.table()`` give others than organisers
  a league without the later results; `moments.visible_until` says since when. Whatever shows a
  match that is played now (live) or a file beside the league must ask `moments.is_visible`.
* The template extends ``layout.html``; every value is escaped. Never ``|safe`` for what anybody
  else wrote. No ``style=`` and no inline script: the Content-Security-Policy forbids both.
* What many look at again and again is kept: ``visit.contest.derived(work, *values)`` once for
  each table and values, ``visit.contest.recent(work)`` for two seconds. Whoever lists results asks
  `results.sight` until when this visitor sees them.
* A page works without scripts; what scripts add goes into ``static/site.js``.

A form
======

``page(path, post=answer)`` adds what answers the form of a page; ``@post(path, back=page)`` makes a
route that only answers a form. The template makes the form by a macro::

    {% call form(visit, "bots/7/withdraw") %}<button>Withdraw</button>{% endcall %}

``await visit.form()`` reads it: the token of the session, its size and the site it comes from have
been checked then. The answer is ``visit.go(path)``, so that reloading repeats nothing. UsageError
from below becomes a page with its sentence.

A table
=======

Declared in ``_SITE_TABLES`` of `arena.league.schema`. Rows are added by ``store.changing()`` and
are never changed; the newest holds, or a row in ``NAME_end`` ends it; a view says what is so now.
What bears on results is in the hash chain, what does not is named in ``_UNLINKED``. Limits are
checked inside ``changing()``, where no other change comes between. What organisers do is a
function of `deeds` or `moments`, which checks the role and writes the audit log in the same change
(`deeds.doing`). Leagues that were served by a release with other tables
are refused, so after a release a new table needs a new format.

An API route
============

A function in `api.py` with ``@endpoint(method, path, scopes=…)``; its docstring is its description.
It returns a msgspec struct; an argument `wish` is one that stands in the body, and `query` one
behind the ``?``. `Call.me` is whose token it is; no cookie is looked at.
`tests/site/test_openapi.py` holds what it answers against the description.
"""
