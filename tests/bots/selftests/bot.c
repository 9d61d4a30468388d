#include <stdio.h>

int main(void) {
    char line[100];
    puts("ready");
    fflush(stdout);
    if (fgets(line, sizeof line, stdin)) printf("heard %s", line);
    fflush(stdout);
    while (getchar() != EOF) { }
}
