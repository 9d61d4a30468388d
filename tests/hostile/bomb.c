/* A program in C that breaks one promise, where speed or bare system calls matter, and else plays
   along:

       bomb SIN ROUND [NUMBER]

   It answers every request with 1 and commits its sin at request ROUND. Every bomb has a bound of
   its own (NUMBER), so that it cannot bring down a machine whose limits do not hold. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1 << 20)

static long number;
static char **arguments;

static void answer(void) {
    if (write(1, "1\n", 2) < 0) _exit(0);
}

static void attempt(const char *name, long result) {
    fprintf(stderr, "ATTEMPT %s %s %s\n", name, result < 0 ? "refused" : "ok",
            result < 0 ? strerror(errno) : "");
}

static void sleep_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void sleep_for_ever(void) {
    for (;;) pause();
}

static void take(long megabytes) {
    for (long i = 0; i < megabytes; i++) {
        char *place = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place == MAP_FAILED) break;
        memset(place, 1, MIB);
    }
}

/* -- memory ---------------------------------------------------------------------------------- */

static void memory(void) { /* as fast as it comes */
    take(number);
    answer();
}

static void memory_slowly(void) { /* NUMBER at once, and then 1 MiB each 20 ms */
    take(number);
    for (int i = 0; i < 400; i++) {
        take(1);
        sleep_ms(20);
    }
    answer();
}

static void memory_in_child(void) { /* the child takes it, the parent waits */
    if (fork() == 0) {
        take(number);
        sleep_for_ever();
    }
    sleep_ms(5000);
    answer();
}

static void ownerless(int flags, int file) {
    /* NUMBER MiB of shared memory, in no process's resident set. The first MiB tells how it went. */
    for (long i = 0; i < number; i++) {
        char *place = mmap(NULL, MIB, PROT_READ | PROT_WRITE, flags, file, 0);
        if (i == 0) attempt("shared", place == MAP_FAILED ? -1 : 0);
        if (place == MAP_FAILED) break;
        memset(place, 1, MIB);
        madvise(place, MIB, MADV_DONTNEED);
    }
    sleep_ms(300);
    answer();
}

static void ownerless_memory(void) { ownerless(MAP_SHARED | MAP_ANONYMOUS, -1); }

static void zero_device(void) { ownerless(MAP_SHARED, open("/dev/zero", O_RDWR)); }

static void empty_files(void) { /* NUMBER files of no size */
    char name[32];
    for (long i = 0; i < number; i++) {
        snprintf(name, sizeof name, "/tmp/%ld", i);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0) break;
        close(file);
    }
    sleep_ms(300);
    answer();
}

static void page_tables(void) { /* NUMBER MiB of page tables, and hardly a page: 4 MiB each 10 ms */
    long span = 2L * MIB, tables = MIB / 4096;
    char *place = mmap(NULL, number * span * tables, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) {
        madvise(place, number * span * tables, MADV_NOHUGEPAGE);
        for (long i = 0; i < number * tables; i++) {
            (void)*(volatile char *)(place + i * span);
            if (i % (4 * tables) == 0) sleep_ms(10);
        }
    }
    sleep_ms(300);
    answer();
}

static void big_maps(void) {
    /* NUMBER processes that map one file again and again, with all of its pages: to take the maps
       down costs the kernel seconds when they are killed. */
    long size = 32L * MIB, times = 24;
    int file = open("big", O_CREAT | O_RDWR, 0600), ready[2];
    if (file < 0 || posix_fallocate(file, 0, size) || pipe(ready)) _exit(64);
    for (long i = 0; i < number; i++)
        if (fork() == 0) {
            for (long j = 0; j < times; j++)
                mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
            if (write(ready[1], "x", 1) == 1) sleep_for_ever();
        }
    char byte;
    for (long i = 0; i < number; i++)
        if (read(ready[0], &byte, 1) != 1) _exit(64);
    answer();
}

static char *place_of_map;

static void *holder(void *nothing) {
    /* It holds the lock on the memory of its process for ever, and hardly ever gets a core. */
    struct sched_param none = {0};
    sched_setscheduler(0, SCHED_IDLE, &none);
    for (;;) {
        mprotect(place_of_map, number * MIB, PROT_READ);
        mprotect(place_of_map, number * MIB, PROT_READ | PROT_WRITE);
    }
    return nothing;
}

static void *spinner(void *nothing) {
    for (volatile long i = 0;; i++)
        ;
    return nothing;
}

static void hold_the_map(void) { /* NUMBER MiB, shared with a child: who asks how much it is, waits */
    pthread_t thread;
    place_of_map = mmap(NULL, number * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(place_of_map, 1, number * MIB);
    if (fork() == 0) sleep_for_ever();
    pthread_create(&thread, NULL, holder, NULL);
    for (int i = 0; i < 6; i++) pthread_create(&thread, NULL, spinner, NULL);
    sleep_ms(2000);
    answer();
}

static void full_sockets(void) { /* NUMBER MiB at most of messages that no process reads */
    char block[4096] = {1};
    long left = number * (MIB / 4096);
    for (int child = 0; child < 40 && left > 0; child++) {
        int pair[2];
        long put = 0;
        for (int i = 0; i < 120 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0; i++)
            for (int end = 0; end < 2; end++)
                while (put < left && send(pair[end], block, sizeof block, MSG_DONTWAIT) > 0) put++;
        left -= put;
        if (fork() != 0) sleep_for_ever(); /* the child's copies of the sockets follow in turn */
        for (int fd = 3; fd < 256; fd++) close(fd);
    }
    sleep_for_ever();
}

static void in_processes(void (*hold)(void)) { /* NUMBER at most, each holding its own */
    for (long i = 0; i < number; i++) {
        if (fork() != 0) sleep_for_ever();
        for (int fd = 3; fd < 256; fd++) close(fd);
        hold();
    }
    sleep_for_ever();
}

static void fill_pipes(void) {
    static char block[65536];
    int pair[2];
    while (pipe2(pair, O_NONBLOCK) == 0)
        while (write(pair[1], block, sizeof block) > 0)
            ;
}

static void full_pipes(void) { in_processes(fill_pipes); }

static void watch_all(void) { /* half of the descriptors watch the other half */
    struct epoll_event event = {.events = EPOLLIN};
    int pair[2];
    for (int i = 0; i < 60; i++)
        if (pipe(pair) != 0) return;
    for (int poller; (poller = epoll_create1(0)) >= 0;)
        for (int fd = 3; fd < 123; fd++) epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
}

static void all_watches(void) { in_processes(watch_all); }

static void queued_signals(void) { /* as many signals that wait as the kernel keeps; how many */
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    long queued = 0;
    union sigval value = {0};
    while (queued < number && sigqueue(getpid(), SIGRTMIN, value) == 0) queued++;
    fprintf(stderr, "COUNT queued %ld\n", queued);
    answer();
}

/* -- processes and threads ------------------------------------------------------------------- */

static void fork_bomb(void) { /* every process forks, NUMBER in all */
    long *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t first = getpid();
    while (__sync_fetch_and_add(count, 1) < number)
        if (fork() < 0) {
            sleep_ms(1);
            if (getpid() != first) sleep_for_ever();
        }
    if (getpid() != first) sleep_for_ever();
    answer();
}

static void many_children(void) { /* NUMBER children that sleep; says how many there were */
    long made = 0;
    while (made < number) {
        pid_t child = fork();
        if (child == 0) sleep_for_ever();
        if (child < 0) break;
        made++;
    }
    fprintf(stderr, "COUNT %ld\n", made);
    sleep_ms(1000);
    answer();
}

static void *rest(void *nothing) {
    sleep_for_ever();
    return nothing;
}

static void many_threads(void) { /* NUMBER threads that sleep; says how many there were */
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 32768);
    long made = 0;
    pthread_t thread;
    while (made < number && pthread_create(&thread, &small, rest, NULL) == 0) made++;
    fprintf(stderr, "COUNT %ld\n", made);
    sleep_ms(1000);
    answer();
}

static void chain(void) { /* each child forks the next and leaves, NUMBER times */
    if (fork() == 0) {
        for (long i = 0; i < number; i++)
            if (fork() != 0) _exit(0);
        sleep_for_ever();
    }
    sleep_ms(300);
    answer();
}

static int deeper(void *left) { /* a session of its own, and its one child likewise */
    setsid();
    if (left != NULL) {
        char *stack = mmap(NULL, 1 << 14, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack != MAP_FAILED)
            clone(deeper, stack + (1 << 14), CLONE_VM | SIGCHLD, (char *)left - 1);
    } else {
        answer();
    }
    sleep_for_ever();
    return 0;
}

static void deep_chain(void) { /* NUMBER processes, each the child of the one before; then 1 */
    setpriority(PRIO_PROCESS, 0, -20); /* of root: quickly also on a busy machine */
    if (fork() == 0) deeper((char *)number);
    sleep_for_ever();
}

static void zombies(void) { /* NUMBER children that leave and are never waited for */
    for (long i = 0; i < number; i++)
        if (fork() == 0) _exit(0);
    answer();
}

/* -- processor time -------------------------------------------------------------------------- */

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void *spin(void *nothing) {
    for (volatile long i = 0;; i++)
        ;
    return nothing;
}

static void spin_threads(void) { /* NUMBER threads that compute for ever */
    pthread_t thread;
    for (long i = 1; i < number; i++) pthread_create(&thread, NULL, spin, NULL);
    spin(NULL);
}

static void burn_in_children(void) { /* NUMBER ms of processor time in children of 5 ms each */
    for (long i = 0; i < number / 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            while (cpu_seconds() < 0.005)
                ;
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    answer();
}

/* -- a burden for the rival ------------------------------------------------------------------ */

static int burdens;
static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t its_turn = PTHREAD_COND_INITIALIZER;

static void set_burdens(int now) {
    pthread_mutex_lock(&turns);
    __atomic_store_n(&burdens, now, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&its_turn);
    pthread_mutex_unlock(&turns);
}

static void in_turn(void) { /* rests while it is no burden */
    if (__atomic_load_n(&burdens, __ATOMIC_ACQUIRE)) return;
    pthread_mutex_lock(&turns);
    while (!burdens) pthread_cond_wait(&its_turn, &turns);
    pthread_mutex_unlock(&turns);
}

static void *do_spin(void *nothing) {
    for (;;) {
        in_turn();
        for (volatile long i = 0; i < 10000; i++)
            ;
    }
    return nothing;
}

static void *do_membarrier(void *nothing) {
    syscall(SYS_membarrier, 1 << 4 /* REGISTER_PRIVATE_EXPEDITED */, 0, 0);
    for (;;) {
        in_turn();
        syscall(SYS_membarrier, 1 << 3 /* PRIVATE_EXPEDITED */, 0, 0);
        syscall(SYS_membarrier, 1 /* GLOBAL */, 0, 0);
    }
    return nothing;
}

static void *do_lookups(void *nothing) { /* names that are not there, each one remembered */
    char name[64];
    for (long i = 0;; i++) {
        in_turn();
        snprintf(name, sizeof name, "/usr/lib/no-such-%ld-%lx", i, (long)nothing);
        access(name, F_OK);
    }
    return nothing;
}

static void *do_stderr(void *nothing) {
    static char block[65536];
    memset(block, 'x', sizeof block);
    do
        in_turn();
    while (write(2, block, sizeof block) > 0);
    return nothing;
}

static void drop(const char *path, int depth) { /* from the page cache, for all */
    char name[512];
    DIR *folder = opendir(path);
    struct dirent *entry;
    if (folder == NULL) return;
    while ((entry = readdir(folder)) != NULL) {
        in_turn();
        if (strlen(path) + strlen(entry->d_name) + 2 > sizeof name) continue;
        stpcpy(stpcpy(stpcpy(name, path), "/"), entry->d_name);
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && depth > 0) drop(name, depth - 1);
        if (entry->d_type != DT_REG) continue;
        int file = open(name, O_RDONLY);
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        close(file);
    }
    closedir(folder);
}

static void *do_drop(void *nothing) {
    for (;;) {
        in_turn();
        drop("/usr/lib", 2);
        drop("/usr/bin", 0);
    }
    return nothing;
}

static const struct {
    const char *name;
    int threads;
    void *(*act)(void *);
} burdens_by_name[] = {
    {"spin", 32, do_spin},       {"membarrier", 8, do_membarrier}, {"lookups", 2, do_lookups},
    {"stderr", 2, do_stderr},    {"drop", 2, do_drop},
};

static void burden(void) {
    /* Those of the burdens that NUMBER names last for 8 requests and rest for 8, by turns; every
       request is answered at once. */
    char line[4096];
    pthread_t thread;
    attempt("membarrier", syscall(SYS_membarrier, 0 /* QUERY */, 0, 0));
    errno = posix_fadvise(open("/proc/self/exe", O_RDONLY), 0, 0, POSIX_FADV_DONTNEED);
    attempt("drop", -(errno != 0));
    for (size_t kind = 0; kind < sizeof burdens_by_name / sizeof *burdens_by_name; kind++)
        if (strstr(arguments[3], burdens_by_name[kind].name) != NULL)
            for (long i = 0; i < burdens_by_name[kind].threads; i++)
                pthread_create(&thread, NULL, burdens_by_name[kind].act, (void *)i);
    answer();
    for (int request = 1; fgets(line, sizeof line, stdin) != NULL;)
        if (strncmp(line, "go", 2) == 0) {
            set_burdens(request++ / 8 % 2);
            answer();
        }
    _exit(0);
}

static double pass(long steps) {
    double from = cpu_seconds();
    for (volatile long i = 0; i < steps; i++)
        ;
    return cpu_seconds() - from;
}

static void work(void) { /* as many steps at each request as take NUMBER µs on a core of its own */
    char line[4096];
    double least = 1;
    for (int i = 0; i < 20; i++) {
        double took = pass(1000000);
        if (took < least) least = took;
    }
    long steps = number / least;
    do {
        pass(steps);
        answer();
        do
            if (fgets(line, sizeof line, stdin) == NULL) _exit(0);
        while (strncmp(line, "go", 2) != 0);
    } while (1);
}

/* -- endings --------------------------------------------------------------------------------- */

static void *mapper(void *nothing) {
    for (;;) {
        char *place = mmap(NULL, number * MIB, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (place != MAP_FAILED) munmap(place, number * MIB);
    }
    return nothing;
}

static void populate(void) { /* a thread that maps NUMBER MiB for ever */
    pthread_t thread;
    pthread_create(&thread, NULL, mapper, NULL);
    answer();
}

static void again(int signal_number) { /* start this program anew from a crash, NUMBER times */
    sigset_t all;
    (void)signal_number;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    char left[32];
    snprintf(left, sizeof left, "%ld", number - 1);
    arguments[2] = "0";
    arguments[3] = left;
    execv("/proc/self/exe", arguments);
    _exit(1);
}

static void crash_loop(void) {
    if (number > 0) signal(SIGSEGV, again);
    raise(SIGSEGV);
}

static void block_in_vfork(void) {
    /* The parent cannot run until the child does something. They share the parent's memory, which
       is NUMBER MiB. */
    take(number);
    if (vfork() == 0) sleep_for_ever();
}

static void traced(void) { /* a child that is stopped under a tracer which does nothing */
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) sleep_for_ever();
        raise(SIGSTOP);
        sleep_for_ever();
    }
    sleep_for_ever();
}

static void leader_leaves(void) { /* the first thread ends, another lives on */
    pthread_t thread;
    pthread_create(&thread, NULL, rest, NULL);
    pthread_exit(NULL);
}

/* -- system calls ---------------------------------------------------------------------------- */

static void epoll_loop(void) { /* from now on wait in epoll; counts interruptions */
    char line[4096];
    int interrupted = 0, poller = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(poller, EPOLL_CTL_ADD, 0, &event);
    answer();
    for (;;) {
        if (epoll_wait(poller, &event, 1, -1) < 0) {
            interrupted++;
            continue;
        }
        ssize_t size = read(0, line, sizeof line - 1);
        if (size <= 0) break;
        line[size] = 0;
        if (strstr(line, "go ")) answer();
    }
    fprintf(stderr, "COUNT %d\n", interrupted);
    exit(0);
}

static void in_child(const char *name, void (*act)(const char *)) {
    /* Some calls end the caller: then that is the refusal. */
    fflush(stderr);
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        act(name);
        fflush(stderr);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) fprintf(stderr, "ATTEMPT %s refused killed\n", name);
}

static void try_x32(const char *name) {
#ifdef __x86_64__
    attempt(name, syscall(0x40000000 | 39)); /* getpid of the x32 kind */
#else
    errno = ENOSYS;
    attempt(name, -1);
#endif
}

static void try_i386(const char *name) {
#ifdef __x86_64__
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
    errno = result < 0 ? -result : 0;
    attempt(name, result < 0 ? -1 : 0);
#else
    errno = ENOSYS;
    attempt(name, -1);
#endif
}

static void rare_calls(void) {
    char zeros[256] = {0};
    in_child("x32", try_x32);
    in_child("i386", try_i386);
    attempt("io_uring", syscall(SYS_io_uring_setup, 4, zeros));
    attempt("bpf", syscall(SYS_bpf, 5 /* BPF_PROG_LOAD */, zeros, sizeof zeros) < 0 &&
                           (errno == EPERM || errno == ENOSYS || errno == EACCES)
                       ? -1
                       : 0);
    memset(zeros, 0, sizeof zeros);
    zeros[0] = 1; /* PERF_TYPE_SOFTWARE */
    zeros[4] = 112;
    attempt("perf", syscall(SYS_perf_event_open, zeros, 0, -1, -1, 0));
    attempt("userfaultfd", syscall(SYS_userfaultfd, 1));
    attempt("keyring", syscall(SYS_add_key, "user", "arena", "x", 1, -3));
    attempt("memfd", syscall(SYS_memfd_create, "arena", 0));
    answer();
}

/* -- playing --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*act)(void);
} sins[] = {
    {"memory", memory},
    {"memory_slowly", memory_slowly},
    {"memory_in_child", memory_in_child},
    {"ownerless_memory", ownerless_memory},
    {"zero_device", zero_device},
    {"empty_files", empty_files},
    {"page_tables", page_tables},
    {"big_maps", big_maps},
    {"hold_the_map", hold_the_map},
    {"full_sockets", full_sockets},
    {"full_pipes", full_pipes},
    {"all_watches", all_watches},
    {"queued_signals", queued_signals},
    {"fork_bomb", fork_bomb},
    {"many_children", many_children},
    {"many_threads", many_threads},
    {"chain", chain},
    {"deep_chain", deep_chain},
    {"zombies", zombies},
    {"spin_threads", spin_threads},
    {"burn_in_children", burn_in_children},
    {"populate", populate},
    {"burden", burden},
    {"work", work},
    {"crash_loop", crash_loop},
    {"block_in_vfork", block_in_vfork},
    {"traced", traced},
    {"leader_leaves", leader_leaves},
    {"epoll_loop", epoll_loop},
    {"rare_calls", rare_calls},
};

static void commit(const char *name) {
    for (size_t i = 0; i < sizeof sins / sizeof *sins; i++)
        if (strcmp(sins[i].name, name) == 0) {
            sins[i].act();
            return;
        }
    _exit(64);
}

int main(int count, char **words) {
    char line[65536];
    if (count < 3) return 64;
    arguments = words;
    number = count > 3 ? atol(words[3]) : 0;
    int when = atoi(words[2]), request = 0;
    if (when == 0) commit(words[1]);
    while (fgets(line, sizeof line, stdin))
        if (strncmp(line, "go", 2) == 0) {
            if (++request == when)
                commit(words[1]);
            else
                answer();
        }
    return 0;
}
