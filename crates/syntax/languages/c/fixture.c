/* A file of everything. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <stdint.h>
#include "list.h"

#define LIMIT 16
//      ^^^^^ constant LIMIT
#define MIN(a, b) ((a) < (b) ? (a) : (b))
//      ^^^ macro MIN
#define EMPTY()
//      ^^^^^ macro EMPTY

#ifdef __cplusplus
extern "C" {
#endif

struct point {
//     ^^^^^ struct point
    int x, y;
    struct point *next;
};

typedef struct node {
//             ^^^^ struct node
    struct node *left;
    void (*visit)(struct node *, void *);
} node_t, *node_ref;
//^^^^^^ type node_t
//         ^^^^^^^^ type node_ref

typedef struct same { int a; } same;
//             ^^^^ struct same

typedef struct {
    int width;
} box;
//^^^ struct box

typedef struct opaque opaque;
typedef struct opaque *handle;
//                     ^^^^^^ type handle
typedef unsigned long word;
//                    ^^^^ type word
typedef int (*compare)(const void *, const void *);
//            ^^^^^^^ type compare

union value { int i; float f; };
//    ^^^^^ struct value

enum color {
//   ^^^^^ enum color
    RED = 1,
    // <- constant color.RED
    GREEN,
    // <- constant color.GREEN
};

typedef enum { ON, OFF } state;
//             ^^ constant state.ON
//                 ^^^ constant state.OFF
//                       ^^^^^ enum state

enum { ANONYMOUS = 3 };
//     ^^^^^^^^^ constant ANONYMOUS

extern int counter;
//         ^^^^^^^ constant counter
static const char *names[] = { "a", "b" };
//                 ^^^^^ constant names
int first, *second = 0;
//  ^^^^^ constant first
//          ^^^^^^ constant second
static int (*callback)(int);
//           ^^^^^^^^ constant callback
static struct inner { int n; } outer;
//            ^^^^^ struct inner
//                             ^^^^^ constant outer

int listed[] = {
//  ^^^^^^ constant listed
#ifdef FIXTURE_MORE
    1,
#else
    2,
#endif
    3
};
#define LONG(a) do { /* A comment. */ \
//      ^^^^ macro LONG
    MIN(a, 1); } while (0)

FIXTURE_API int exported(void);
//              ^^^^^^^^ function exported
int attributed(int a) FIXTURE_ATTRIBUTE;
//  ^^^^^^^^^^ function attributed
char **split(const char *text, size_t length);
//     ^^^^^ function split
void (*on_signal(int number, void (*handler)(int)))(int);
//     ^^^^^^^^^ function on_signal
int plain(void), other(int);
//  ^^^^^ function plain
//               ^^^^^ function other

static inline struct point *make(int x)
//                          ^^^^ function make
{
    int local = x;
    struct point made(int);
    enum { HERE };
    static const struct point zero = { 0 };
    return 0;
}

int
on_its_own_line(int a)
// <- function on_its_own_line
{
    return MIN(a, LIMIT);
}

#ifdef __cplusplus
}
#endif

#endif
