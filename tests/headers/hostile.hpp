// Names that well-known headers, or careless ones, define as macros. A library's headers must not use them, wherever
// the user includes them. Left out: min and max (function-like on another system), x, y, z and the capitals that
// template parameters have everywhere, the standard library included (F, N, T, V).
#pragma once

// <windows.h> and headers that came from there
#define near
#define far
#define small char
#define interface struct
#define IN
#define OUT
#define ERROR 0
#define TRUE 1
#define FALSE 0
// <complex.h>, <termios.h>, <sys/sysmacros.h>, an old <ctype.h>
#define I (0.0f + 1.0fi)
#define B0 0
#define major(device) ((device) >> 8)
#define minor(device) ((device)&0xff)
#define _U 01
#define _L 02
#define _N 04
#define _X 0100
// X11
#define None 0L
#define Bool int
#define Status int
#define Success 0
#define Always 2
#define True 1
#define False 0
// Other people's tools
#define check(condition)
#define verify(condition)
#define assume(condition)
#define CHECK(condition)
#define LOG(level)
#define DEBUG 1
#define PI 3
#define EPS 1e-6
// Matrices, image sizes, and whatever else is one capital letter
#define A ]
#define B ]
#define C ]
#define D ]
#define E ]
#define G ]
#define H ]
#define J ]
#define K ]
#define L ]
#define M ]
#define O ]
#define P ]
#define Q ]
#define R ]
#define S ]
#define U ]
#define W ]
#define X ]
#define Y ]
#define Z ]
