/* What honest.py does, for a tenth of the CPU time of its start: answers everything with 1, after as
   many seconds as its argument says. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int begins(const char *line, const char *word) {
    return strncmp(line, word, strlen(word)) == 0;
}

int main(int count, char **words) {
    double pause = count > 1 ? atof(words[1]) : 0;
    struct timespec time = {(long)pause, (long)((pause - (long)pause) * 1e9)};
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0)
        if (begins(line, "go") || begins(line, "pick_starting_region")) {
            if (pause > 0) nanosleep(&time, NULL);
            if (write(1, "1\n", 2) < 0) return 0;
        }
    return 0;
}
