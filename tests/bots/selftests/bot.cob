       identification division.
       program-id. bot.
       data division.
       working-storage section.
       01 request pic x(40).
       procedure division.
           display "ready".
           accept request.
           display "heard " function trim(request).
           stop run.
