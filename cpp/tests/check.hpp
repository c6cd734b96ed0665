// A test is a function registered by TEST; a failed CHECK prints its line and values.
#pragma once

#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace check {

struct Test {
    const char* name;
    void (*run)();
};
std::vector<Test>& tests();
int& failures();

struct Register {
    Register(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

template <class A, class B>
void equal(const A& got, const B& expected, const char* text, const char* file, int line) {
    if (got == expected) return;
    ++failures();
    std::cerr << file << ":" << line << ": " << text << ": got " << got << ", expected " << expected << "\n";
}

// |got − expected| ≤ relative · |expected|
inline void close(double got, double expected, double relative, const char* text, const char* file, int line) {
    if (std::fabs(got - expected) <= relative * std::fabs(expected)) return;
    ++failures();
    std::cerr.precision(17);
    std::cerr << file << ":" << line << ": " << text << ": got " << got << ", expected " << expected << "\n";
}

}  // namespace check

#define TEST(name)                                               \
    static void name();                                          \
    static const check::Register registered_##name(#name, name); \
    static void name()
#define CHECK_EQUAL(got, expected) check::equal((got), (expected), #got, __FILE__, __LINE__)
#define CHECK_CLOSE(got, expected, relative) check::close((got), (expected), (relative), #got, __FILE__, __LINE__)
#define CHECK(condition) check::equal(static_cast<bool>(condition), true, #condition, __FILE__, __LINE__)
