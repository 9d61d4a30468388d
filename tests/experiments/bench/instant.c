/* The quickest bot there is, for measurements: it answers each request with "No moves" and reads
   nothing else. With an argument it sleeps for so many microseconds before each. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_request(const char *line) {
    return strncmp(line, "go", 2) == 0 || strncmp(line, "pick_starting_region", 20) == 0;
}

int main(int argc, char **argv) {
    useconds_t pause = argc > 1 ? atoi(argv[1]) : 0;
    static char data[1 << 16];
    ssize_t size;
    while ((size = read(0, data, sizeof data - 1)) > 0) {
        data[size] = 0;
        for (char *line = data; line && *line; line = strchr(line, '\n')) {
            line += *line == '\n';
            if (!is_request(line)) continue;
            if (pause) usleep(pause);
            if (write(1, "No moves\n", 9) < 0) return 1;
        }
    }
    return 0;
}
